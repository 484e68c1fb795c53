/**
 * What commands and grants of tools look like in a line of text. Data only: which programs and tools there are, and in which
 * company their names mean the program and not the word. Must not know who had what before.
 */

const TOOLS =
	"WebFetch|WebSearch|MultiEdit|NotebookEdit|NotebookRead|TodoWrite|BashOutput|KillShell|KillBash|ExitPlanMode|AskUserQuestion|SlashCommand|TaskOutput|TaskCreate|ToolSearch|computer_use|execute_command|execute_code|run_command|run_shell\\w*|run_terminal_cmd|run_in_terminal|code_interpreter|str_replace_editor|str_replace_based_edit_tool|apply_patch|web_search|web_fetch|python_repl|local_shell|text_editor|shell_exec|read_file|write_file";
const CALLABLE = "Bash|Read|Write|Edit|Glob|Grep|LS|Task|Agent|Skill|Monitor|Terminal|PowerShell|Shell";
const USE = "(?:[Uu]s(?:e|es|ing)|[Cc]all(?:s|ing)?|[Ii]nvok(?:e|es|ing)|[Vv]ia|[Rr]un(?:s|ning)?)";
const MARKS = "[\"'`*]{0,3}";

export const TOOL_GRANTS: readonly RegExp[] = [
	/\b(?:dis)?allowed[-_ ]?tools\b|\bpermission[-_]?mode\b|\bdangerously[-_]skip[-_]permissions\b|\bbypassPermissions\b/gi,
	new RegExp(`\\b(?:${TOOLS})\\b|\\b(?:${CALLABLE})\\([^)\\n]{0,200}|\\bmcp__\\w+`, "g"),
	new RegExp(`\\b(?:${CALLABLE})\\b["'\`*]{0,3}[ \\t]+tool\\b|\\btool["'\`*: \\t]{1,4}(?:${CALLABLE})\\b`, "gi"),
	// Names that are no other word, and names that are, with what they should be used for behind them.
	new RegExp(
		`\\b${USE}[ \\t]+(?:the[ \\t]+|a[ \\t]+)?${MARKS}(?:[Bb]ash|Glob|Grep|PowerShell|powershell|zsh|cmd\\.exe)\\b`,
		"g",
	),
	new RegExp(
		`\\b${USE}[ \\t]+(?:the[ \\t]+|a[ \\t]+)?${MARKS}(?:Read|Write|Edit|LS|Task|Agent|Skill|Monitor|Terminal|Shell)${MARKS}[ \\t]+(?:to|on|for)\\b`,
		"g",
	),
	new RegExp(`\\b${USE}[ \\t]+(?:the|a)[ \\t]+${MARKS}(?:shell|terminal|command line)${MARKS}[ \\t]+to\\b`, "g"),
];

/** Interpreters whose name is hardly a word of its own in lowercase. */
const INTERPRETERS = "python[\\d.]*|perl|ruby|php|deno|lua|Rscript|ba?sh|zsh|ksh|fish|pwsh|tclsh";
/** What follows the name of a language in prose. */
const ABOUT =
	"(?:code|scripts?|lists?|dicts?|dictionar\\w+|objects?|strings?|modules?|packages?|syntax|versions?|functions?|class(?:es)?|style|programs?|snippets?|examples?|types?|and|or|only|is|are|for|in|to|on|with|as|not|if)";

export const COMMANDS: readonly RegExp[] = [
	/\b(?:npm|pnpm|yarn|bun|pip3?|pipx|uv|brew|apt|apt-get|gem|cargo|dnf|yum|apk|conda)[ \t]+(?:install|i|add|ci|get|run|exec)\b[ \t]*[^\s"'`)]*/g,
	/\b(?:curl|wget|sudo|npx|uvx|bunx|powershell|pwsh|netcat|scp|rsync|osascript|crontab|systemctl|chmod|chown|mkfifo|certutil)\b[ \t]*[^\s"'`)]*/gi,
	/\bgo[ \t]+(?:install|get|run)[ \t]+\S*[./]|\b(?:eval|exec|system|popen)\(|\beval[ \t]+\(|\bexec[ \t]+["']|\bsubprocess\b|\bchild_process\b|\|[ \t]*(?:sudo[ \t]+)?(?:ba|z|da)?sh\b|\bnc[ \t]+-\w|\bssh[ \t]+\S+@|\bbase64[ \t]+(?:-d|-D|--decode)\b/g,
	/\bgit[ \t]+(?:(?:-[cC][ \t]+\S+|--[\w-]+(?:=\S+)?)[ \t]+){0,4}(?:clone|push|fetch|pull|config|remote|submodule)\b|\bgit[ \t]+-[cC][ \t]+\S+/g,
	/\b(?:rm|rmdir|unlink|shred|mv|cp|ln)[ \t]+-{1,2}[a-z][\w-]*/gi,
	/\b(?:ba|z|da|k|tc|c|fi)?sh[ \t]+-{1,2}[a-z][\w-]*/g,
	/\bnode[ \t]+(?:-{1,2}[a-z][\w-]*|\S+\.[cm]?[jt]s\b)|\b(?:tsx|ts-node|deno|bun)[ \t]+(?:run|eval|\S+\.[cm]?[jt]sx?\b)|\bjava[ \t]+-\w+/g,
	new RegExp(`\\b(?:${INTERPRETERS})[ \\t]+(?:-{1,2}[a-z][\\w-]*|\\S+\\.(?:py|pl|rb|php|lua|sh|R|ts)\\b)`, "g"),
	// Alone on its line, in a code span, or after a word that asks for it, the name of an interpreter with one word is a call.
	new RegExp(`^[ \\t>*+$\`.)\\d-]{0,20}(?:${INTERPRETERS})[ \\t]+(?!${ABOUT}\\b)[\\w./@-]+[ \\t\`.]*$`, "gm"),
	new RegExp(`\`(?:${INTERPRETERS}|node)[ \\t]+[^\\s\`]+`, "g"),
	new RegExp(
		`\\b(?:run|execut|start|launch|invok)(?:e|es|ing|s)?[ \\t:]+["'\`]?(?:${INTERPRETERS}|node)[ \\t]+(?!${ABOUT}\\b)[\\w./@-]+`,
		"gi",
	),
	/\b(?:docker|podman|nerdctl)(?:[ \t]+|-)(?:run|exec|pull|push|build|compose|cp|login|start|create|load|save|system)\b/g,
	/\b(?:kubectl|gcloud|gsutil|s3cmd|doctl|flyctl|wrangler)[ \t]+[a-z][\w-]*|\bhelm[ \t]+(?:install|upgrade|uninstall|repo|template)\b|\bterraform[ \t]+(?:apply|destroy|init|plan|import)\b|\bansible-playbook\b/g,
	/\baws[ \t]+(?:--\S+[ \t]+)?(?:s3|s3api|ec2|iam|sts|lambda|ssm|secretsmanager|configure|dynamodb|rds|ecr|ecs|eks|logs|sns|sqs|cloudformation|kms|route53)\b|\baz[ \t]+(?:login|vm|storage|account|keyvault|ad|group)\b|\bgh[ \t]+(?:gist|repo|pr|issue|api|release|auth|secret|workflow|run|ssh-key)\b/g,
	/\bdd[ \t]+(?:if|of)=|\bfind[ \t]+\S+[ \t][^\n]{0,200}-(?:exec|delete)\b|\bsed[ \t]+-i\b|\bkill[ \t]+-\w+|\btar[ \t]+-?[xc]\w*f\b/g,
	/\b(?:killall|pkill|nohup|xargs|mkfs|launchctl|schtasks|msiexec|mshta|rundll32|regsvr32|bitsadmin|Invoke-(?:WebRequest|Expression|RestMethod|Command)|Start-Process)\b/g,
];
