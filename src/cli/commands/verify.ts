/** `gepa verify <skill>`: walks the history of the skills repository and proves that no run touched the kernel. Exit 6 if not. */
import { type CommitProof, verifyEvolution } from "../../engine/verify.ts";
import { EXIT, type ExitCode, InputError } from "../../errors.ts";
import { visibleLine } from "../../report/visible-text.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { readSkill } from "../missing-skill.ts";
import { openSkills } from "../open-skills.ts";
import { paint, plural, printDocument } from "../output.ts";

/** @throws InputError when there is no repository or it never had such a skill */
export async function verifyCommand(skill: string, flags: Flags, io: Io): Promise<ExitCode> {
	const config = await loadConfig(skill, flags, io);
	const repository = await openSkills(config, io.cwd);
	if (repository === null) {
		throw new InputError({
			message: "there is no skills repository to verify",
			hint: "Name it with --skills-repo DIR or GEPA_SKILLS_REPO.",
		});
	}
	const commits = await repository.evolved(skill);
	// A skill that no run has touched must at least be there: a misspelt name proves nothing.
	if (commits.length === 0)
		await readSkill(repository, skill, { ...config, origin: config.origins.skillsRepo }, io.cwd);
	const { ok, results } = verifyEvolution(commits);
	if (io.json) printDocument(io, { skill, ok, repository: repository.root, commits: results });
	else io.out(describe(skill, ok, results, io));
	return ok ? EXIT.done : EXIT.guard;
}

function describe(skill: string, ok: boolean, results: readonly CommitProof[], io: Io): string {
	if (results.length === 0) return `${skill}: no run has committed to it yet, so there is nothing to verify`;
	const mark = {
		intact: paint(io, "green", "intact "),
		broken: paint(io, "red", "BROKEN "),
		unknown: paint(io, "yellow", "unknown"),
	};
	const lines = results.flatMap(({ commit, run, verdict, reasons, kernels }) => [
		`${mark[verdict]}  ${commit.slice(0, 12)}  ${visibleLine(run, 60)}  ${plural(kernels, "kernel region")}`,
		...reasons.map((reason) => `           ${visibleLine(reason)}`),
	]);
	const broken = results.filter(({ verdict }) => verdict !== "intact").length;
	const sum = ok
		? `${skill}: kernel and frontmatter are byte for byte those of the parent in ${plural(results.length, "commit")}`
		: `${skill}: ${broken} of ${plural(results.length, "commit")} could not be proved`;
	return [...lines, paint(io, "bold", sum)].join("\n");
}
