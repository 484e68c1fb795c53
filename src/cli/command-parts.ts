/** What the files of the command tree share: examples of a help text, and flags that several commands have. */
import type { Command } from "commander";

/** What `perform` gets: loads the module of a command and calls it. Its result, when it is an exit code, ends the process. */
export type Perform = (action: () => Promise<unknown>) => Promise<void>;

export function examples(...lines: string[]): string {
	return `Examples:\n${lines.map((line) => `  gepa ${line}\n`).join("")}`;
}

export function withFolders(command: Command): Command {
	return command
		.option("--job <file>", "job spec (jobs/<skill>.yaml)")
		.option("--skills-repo <dir>", "git repository of skills (GEPA_SKILLS_REPO)")
		.option("--cases <dir>", "folder with one folder of cases for each skill (eval-cases)")
		.option("--results <dir>", "folder for runs (results)");
}
