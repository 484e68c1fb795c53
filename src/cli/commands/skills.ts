/** `gepa skills list|show`: which skills there are, and what one is made of. Changes nothing. */
import { existsSync } from "node:fs";
import { pinOf } from "../../domain/kernel.ts";
import { sectionsOf } from "../../domain/section.ts";
import { kernelsOf, parseSkill, type Skill } from "../../domain/skill.ts";
import { visible, visibleLine } from "../../report/visible-text.ts";
import { shownPath } from "../exit.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { folderNames, seedFile } from "../missing-skill.ts";
import { findSkill, openSkills } from "../open-skills.ts";
import { paint, printDocument, table } from "../output.ts";

/** Lists the skills of the repository and those that only have cases. */
export async function skillsListCommand(flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(null, flags, io);
	const repository = await openSkills(config, io.cwd);
	const listed = new Map((repository === null ? [] : await repository.list()).map(({ name, path }) => [name, path]));
	const withCases = new Set(folderNames(config.casesFolder));
	const rows = [...new Set([...listed.keys(), ...withCases])].sort().map((name) => {
		const seed = seedFile(config.casesFolder, name);
		const path = listed.get(name) ?? (existsSync(seed) ? shownPath(io.cwd, seed) : null);
		return { name, path, inRepository: listed.has(name), hasCases: withCases.has(name) };
	});
	if (io.json) return printDocument(io, { repository: repository?.root ?? null, skills: rows });
	io.err(
		repository === null
			? "No skills repository is named; these come with the cases."
			: `Skills repository: ${repository.root}`,
	);
	if (rows.length === 0) return io.err("No skills.");
	const cells = rows.map(({ name, path, hasCases }) => [
		visible(name),
		hasCases ? "yes" : "no",
		path === null ? "only cases: no SKILL.md here or in seed/" : visible(path),
	]);
	io.out(table([["SKILL", "CASES", "FILE"], ...cells]));
}

/** Shows sections with their ids, and kernel regions with their hashes. @throws InputError when there is no such skill or it cannot be parsed */
export async function skillsShowCommand(name: string, flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(name, flags, io);
	const { bytes, file, commit } = await findSkill(name, config, io.cwd);
	const skill = parseSkill(bytes, file);
	const view = { skill: name, file: shownPath(io.cwd, file), commit, bytes: bytes.length, ...partsOf(skill) };
	if (io.json) return printDocument(io, view);
	const { frontmatter, kernels, sections, kernelSha256 } = view;
	io.out(
		`${paint(io, "bold", name)}  ${visible(view.file)}  ${bytes.length} bytes${commit === null ? "" : `  at ${commit.slice(0, 12)}`}`,
	);
	if (frontmatter !== null)
		io.out(
			`frontmatter  ${frontmatter.bytes} bytes  ${frontmatter.sha256}  ${visibleLine(frontmatter.name ?? "", 64)}`,
		);
	io.out(kernels.length === 0 ? "no kernel region is marked" : `kernel  ${kernelSha256}`);
	if (kernels.length > 0)
		io.out(
			table(
				[
					["KERNEL", "LINE", "BYTES", "SHA-256"],
					...kernels.map((region) => [region.id, String(region.line), String(region.bytes), region.sha256]),
				],
				"  ",
			),
		);
	io.out("harness");
	io.out(
		table(
			[
				["SECTION", "LEVEL", "BYTES", "HEADING"],
				...sections.map(({ id, level, bytes, heading }) => [
					visible(id),
					String(level),
					String(bytes),
					visibleLine(heading ?? "", 60),
				]),
			],
			"  ",
		),
	);
}

function partsOf(skill: Skill) {
	const { frontmatter } = skill;
	return {
		frontmatter:
			frontmatter === null
				? null
				: { name: frontmatter.name ?? null, sha256: frontmatter.sha256, bytes: frontmatter.end - frontmatter.start },
		kernelSha256: pinOf(skill).kernelSha256,
		kernels: kernelsOf(skill).map(({ id, line, sha256, bytes }) => ({ id, line, bytes: bytes.length, sha256 })),
		sections: sectionsOf(skill).map(({ id, heading, level, segment, text }) => ({
			id,
			heading,
			level,
			segment,
			bytes: Buffer.byteLength(text),
		})),
	};
}
