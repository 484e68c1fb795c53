/**
 * The command tree: words, flags and help of every command. Knows where each command's module is and loads it only when it
 * is asked for, so that help is there at once. Must not know what a command does.
 */
import { Command } from "commander";
import { examples, type Perform, withFolders } from "./command-parts.ts";
import type { Flags } from "./flags.ts";
import type { Io } from "./io.ts";
import { addQueueCommands, addQueuedRuns } from "./program-queue.ts";

const EXAMPLES = `Examples:
  gepa demo                               see a whole run, offline and for nothing
  gepa run dataviz --dry-run              what a run would do and cost
  gepa run dataviz --max-usd 2            evolve the harness of a skill
  gepa report dataviz                     read why it was promoted, or not
  gepa cases check dataviz                find every problem of its cases
  gepa verify dataviz                     prove that no run ever touched its kernel
`;

/** What bare `gepa` prints. */
export const SHORT_HELP = `gepa evolves the harness of agent skills and proves that it never touched the kernel.

${EXAMPLES}
All commands: gepa --help
`;

/** The whole command line of a version; each command is performed by `perform`. */
export function createProgram(version: string, io: Io, perform: Perform): Command {
	const program = new Command("gepa")
		.description("Evolves the harness of agent skills and proves that it never touched the kernel.")
		.version(version, "--version", "print the version")
		.option("--json", "print one JSON document on stdout")
		.option("--no-color", "no colour (also NO_COLOR)")
		.option("--debug", "print stack traces")
		.configureOutput({ writeOut: io.out, writeErr: io.err, outputError: () => {} })
		.configureHelp({ showGlobalOptions: true })
		.addHelpText("before", EXAMPLES)
		.exitOverride();
	addRun(program, io, perform);
	addQueueCommands(program, version, io, perform);
	addResults(program, io, perform);
	addCases(program, io, perform);
	addSkills(program, io, perform);
	addConfig(program, io, perform);
	for (const command of program.commands) if (command.commands.length > 0) tellMissingFirst(command);
	return program;
}

/** A group without a command prints its help as an error: what is wrong stands above it, where it is read. */
function tellMissingFirst(group: Command): void {
	const names = group.commands.map((command) => command.name()).join(", ");
	group.addHelpText("beforeAll", ({ error }) =>
		error ? `error: a command is missing after ${group.name()}: ${names}\n` : "",
	);
}

function addRun(program: Command, io: Io, perform: Perform): void {
	const run = program
		.command("run")
		.argument("<skill>", "name of the skill")
		.description("evolve the harness of a skill, prove the winner and commit it")
		.addHelpText(
			"before",
			examples(
				"run dataviz --dry-run",
				"run dataviz --skills-repo ~/skills --max-usd 2",
				"run dataviz --no-commit --json",
			),
		);
	run.option("--detach", "with a queue: print the id of the run and do not follow it");
	withRunFlags(run).action((skill: string, flags: Flags) =>
		perform(async () => (await import("./commands/run.ts")).runCommand(skill, flags, io)),
	);
	const demo = program
		.command("demo")
		.description("see a whole run with the built-in rules, offline and for nothing")
		.addHelpText("before", examples("demo"))
		.option("--results <dir>", "folder for runs (results)")
		.option("--seed <n>", "draw another search (1)");
	demo.action((flags: Flags) => perform(async () => (await import("./commands/demo.ts")).demoCommand(flags, io)));
}

function withRunFlags(command: Command): Command {
	return withSpendFlags(withModelFlags(withFolders(command)))
		.option("--max-minutes <n>", "limit of time (60)")
		.option("--seed <n>", "draw another search (1)")
		.option("--policy <name>", "quality-first, balanced or cheapest")
		.option("--promote <mode>", "where v1 goes: current, branch or report")
		.option("--no-commit", "commit nothing, as --promote report")
		.option("--push", "push what was committed")
		.option("--dry-run", "say what would be done and cost, and touch nothing")
		.option("--resume <run>", "go on with an interrupted run")
		.option("--yes", "start without asking");
}

function withSpendFlags(command: Command): Command {
	return command
		.option("--max-calls <n>", "limit of paid model calls (600)")
		.option("--max-trials <n>", "limit of trials")
		.option("--max-tokens <n>", "limit of tokens")
		.option("--max-usd <x>", "limit in US dollars (5)")
		.option("--concurrency <n>", "calls at the same time (16)")
		.option("--queue <url>", "let workers behind this Redis do the work (GEPA_QUEUE_URL, else REDIS_URL)");
}

function withModelFlags(command: Command): Command {
	return command
		.option("--model <name>", "model that runs the skill")
		.option("--reflection-model <name>", "model that proposes edits")
		.option("--judge-model <name>", "model that answers rubric checks")
		.option("--base-url <url>", "any OpenAI-compatible endpoint (OPENAI_BASE_URL)");
}

function addResults(program: Command, io: Io, perform: Perform): void {
	const runs = program
		.command("runs")
		.description("list, show, follow and end runs")
		.addHelpText("before", examples("runs list", "runs show dataviz", "runs follow dataviz", "runs cancel dataviz"));
	addQueuedRuns(runs, io, perform);
	runs
		.command("list")
		.argument("[skill]", "only the runs of this skill")
		.description("all runs, with what came of them")
		.option("--results <dir>", "folder of runs (results)")
		.option("--queue <url>", "also the runs of this queue (GEPA_QUEUE_URL, else REDIS_URL)")
		.action((skill: string | undefined, flags: Flags) =>
			perform(async () => (await import("./commands/runs.ts")).runsListCommand(skill, flags, io)),
		);
	runs
		.command("show")
		.argument("[run]", "a run, the beginning of its id, or a skill for its latest")
		.description("one run")
		.option("--queue <url>", "Redis of the queue (GEPA_QUEUE_URL, else REDIS_URL)")
		.option("--results <dir>", "folder of runs (results)")
		.option("--cases <dir>", "folder of cases (eval-cases)")
		.action((run: string | undefined, flags: Flags) =>
			perform(async () => (await import("./commands/runs.ts")).runsShowCommand(run, flags, io)),
		);
	program
		.command("report")
		.argument("[skill-or-run]", "a skill for its latest run, or a run")
		.description("make the report of a run anew from its log")
		.addHelpText(
			"before",
			examples("report dataviz --open", "report dataviz --format csv", "report dataviz --compare previous"),
		)
		.option("--format <name>", "print it: html, md or json; its cases: csv, jsonl or junit")
		.option("--compare <run>", "two runs side by side: another run, or previous")
		.option("--results <dir>", "folder of runs (results)")
		.option("--cases <dir>", "folder of cases (eval-cases)")
		.option("--open", "open it in the browser")
		.action((name: string | undefined, flags: Flags) =>
			perform(async () => (await import("./commands/report.ts")).reportCommand(name, flags, io)),
		);
	program
		.command("serve")
		.description("a site on all runs and skills, for this machine alone unless told otherwise")
		.addHelpText("before", examples("serve", "serve --port 8080 --queue redis://127.0.0.1:6379"))
		.option("--port <n>", "port (8473; 0: a free one)")
		.option("--host <address>", "address to listen on (127.0.0.1); others need GEPA_SERVE_TOKEN")
		.option("--name <name...>", "names by which browsers may call it, beside localhost")
		.option("--queue <url>", "show the queue of this Redis too (GEPA_QUEUE_URL, else REDIS_URL)")
		.option("--results <dir>", "folder of runs (results)")
		.action((flags: Flags) => perform(async () => (await import("./commands/serve.ts")).serveCommand(flags, io)));
}

function addCases(program: Command, io: Io, perform: Perform): void {
	const cases = program
		.command("cases")
		.description("list and check recorded cases, and measure what they can prove")
		.addHelpText("before", examples("cases list dataviz", "cases check", "cases noise dataviz --max-calls 200"));
	cases
		.command("list")
		.argument("<skill>", "name of the skill")
		.description("the cases of a skill")
		.option("--cases <dir>", "folder of cases (eval-cases)")
		.action((skill: string, flags: Flags) =>
			perform(async () => (await import("./commands/cases.ts")).casesListCommand(skill, flags, io)),
		);
	cases
		.command("check")
		.argument("[skill]", "name of the skill (all)")
		.description("every problem of the case files in one pass, with file, line and column")
		.option("--cases <dir>", "folder of cases (eval-cases)")
		.action((skill: string | undefined, flags: Flags) =>
			perform(async () => (await import("./commands/cases.ts")).casesCheckCommand(skill, flags, io)),
		);
	const noise = cases
		.command("noise")
		.argument("<skill>", "name of the skill")
		.description("v0 against itself: how much is chance, and how small a gain these cases can prove")
		.option("--split <name>", "train, validation or holdout (validation)")
		.option("--repeats <n>", "draws of each case on either side (2)");
	withSpendFlags(withModelFlags(withFolders(noise)))
		.option("--dry-run", "say what would be measured and cost, and call nothing")
		.option("--yes", "start without asking")
		.action((skill: string, flags: Flags) =>
			perform(async () => (await import("./commands/cases-noise.ts")).casesNoiseCommand(skill, flags, io)),
		);
}

function addSkills(program: Command, io: Io, perform: Perform): void {
	const skills = program
		.command("skills")
		.description("list, show and check skills")
		.addHelpText("before", examples("skills list", "skills show dataviz", "skills check path/to/SKILL.md"));
	const common = (command: Command) =>
		command
			.option("--skills-repo <dir>", "git repository of skills (GEPA_SKILLS_REPO)")
			.option("--cases <dir>", "folder of cases (eval-cases)");
	common(skills.command("list").description("skills of the repository and of the cases")).action((flags: Flags) =>
		perform(async () => (await import("./commands/skills.ts")).skillsListCommand(flags, io)),
	);
	common(
		skills.command("show").argument("<skill>", "name of the skill").description("its sections and kernel regions"),
	).action((skill: string, flags: Flags) =>
		perform(async () => (await import("./commands/skills.ts")).skillsShowCommand(skill, flags, io)),
	);
	common(
		skills
			.command("check")
			.argument("<skill>", "a file, a folder or the name of a skill")
			.description("kernel markers, frontmatter and size"),
	).action((target: string, flags: Flags) =>
		perform(async () => (await import("./commands/skills-check.ts")).skillsCheckCommand(target, flags, io)),
	);
	program
		.command("verify")
		.argument("<skill>", "name of the skill")
		.description("prove for every commit of a run that kernel and frontmatter are as its parent left them")
		.addHelpText("before", examples("verify dataviz --skills-repo ~/skills"))
		.option("--skills-repo <dir>", "git repository of skills (GEPA_SKILLS_REPO)")
		.action((skill: string, flags: Flags) =>
			perform(async () => (await import("./commands/verify.ts")).verifyCommand(skill, flags, io)),
		);
}

function addConfig(program: Command, io: Io, perform: Perform): void {
	const config = program
		.command("config")
		.argument("[skill]", "name of the skill")
		.description("each setting, and which source won")
		.addHelpText("before", examples("config", "config dataviz --max-usd 2"));
	withRunFlags(config).action((skill: string | undefined, flags: Flags) =>
		perform(async () => (await import("./commands/config.ts")).configCommand(skill ?? null, flags, io)),
	);
}
