/**
 * The promise of the product as a property: whatever is written into a harness, no byte of a kernel or a frontmatter
 * changes. GEPA_EDITS raises the number of edits (100,000 by default); GEPA_SEED repeats a run.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admitHarness } from "../../src/domain/admission.ts";
import { createBlockReader, holdsColumnZero } from "../../src/domain/block.ts";
import { linesOf } from "../../src/domain/line.ts";
import { applyEdits, type Edit, joinSections, MAX_EDITS, sectionsOf } from "../../src/domain/section.ts";
import {
	harnessOf,
	kernelsOf,
	MAX_SKILL_BYTES,
	parseSkill,
	proveKernel,
	rebuildSkill,
	type Skill,
} from "../../src/domain/skill.ts";
import { InputError } from "../../src/errors.ts";
import { bytesOf, corpusFiles, hasCorpus, textOf } from "../support/skill-corpus.ts";

const EDITS = Number(process.env.GEPA_EDITS ?? 100_000);
const SEED = Number(process.env.GEPA_SEED ?? 20_261_130);

/** A million edits or more take all files whole; the everyday run leaves the long ones (in characters) to the side. */
const THOROUGH = EDITS >= 1_000_000;
const LONG = 12_000;

const KERNEL =
	"<!-- kernel:begin id=pinned-here -->\n## Pinned\n\n```\nnever  \n```\n- é\u200B 😀\n<!-- kernel:end id=pinned-here -->";

const SEED_SKILL = `---\nname: x\ndescription: |\n  y\n---\n\n# A\n\nIntro.\n\n## B\n\n- one\n- two\n\n${KERNEL}\n\n## C\n\n\`\`\`js\ncode\n\`\`\`\n\n1. a\n2. b\n`;

/** Text that a hostile or confused model may write. */
const HOSTILE = [
	"- A plain new rule.",
	"Use `line` for trends.",
	"```",
	"~~~~",
	"```\ncode\n```",
	"---",
	"---\nname: evil\n---",
	"<!--",
	"-->",
	"<pre>",
	"<details>",
	"<div>\n",
	"<![CDATA[",
	"<script>",
	"<!-- kernel:begin id=pinned-here -->",
	"<!-- kernel:end id=pinned-here -->",
	"<!-- kernel:begin id=other -->\nx\n<!-- kernel:end id=other -->",
	"<!-- KERNEL:END id=pinned-here -->",
	"<!-- ker\u200Bnel:end id=pinned-here -->",
	" <!-- kernel:begin id=pinned-here -->",
	"\uFEFF",
	"\r",
	"\r\n\r\n",
	"\u0000",
	"\u202E",
	"\uD800",
	"# Pinned",
	"## B",
	"  - deep\n    - deeper\n",
	"> quote\n> ```",
	"- ```",
	"1. ```\n   x",
	"[label]: https://example.com",
	"x".repeat(300),
	"\t\tindented",
	"$ARGUMENTS !`ls`",
	KERNEL,
];

/** A small generator with a known period of 2^32 (mulberry32), so that a failure can be repeated from its seed. */
function createRandom(seed: number): (below: number) => number {
	let state = seed >>> 0;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

/** Every line of a skill before which a kernel can be put, by the block rules, with the text before and after it. */
function boundariesOf(text: string): { before: string; after: string; hidden: boolean }[] {
	const skill = parseSkill(bytesOf(text));
	const start = text.length - (harnessOf(skill)[0]?.length ?? 0);
	const reader = createBlockReader();
	return linesOf(text.slice(start)).map((line) => {
		const hidden = holdsColumnZero(reader.open) && reader.open.html < 6;
		reader.feed(text.slice(start + line.start, start + line.end));
		return { before: text.slice(0, start + line.start), after: text.slice(start + line.start), hidden };
	});
}

function subjects(): string[] {
	const files = corpusFiles().filter(({ bytes }) => bytes.length <= MAX_SKILL_BYTES - 1000);
	return [
		SEED_SKILL.replace(`${KERNEL}\n`, ""),
		SEED_SKILL.replace(`${KERNEL}\n`, "").replaceAll("\n", "\r\n"),
		...files.map(({ bytes }) => textOf(bytes)),
	];
}

/** Where frontmatter and kernel must lie in a rebuilt file, computed without the parser. */
function keepsBytes(skill: Skill, rebuilt: Uint8Array): boolean {
	const { frontmatter, bytes } = skill;
	if (
		frontmatter !== null &&
		Buffer.compare(
			rebuilt.subarray(frontmatter.start, frontmatter.end),
			bytes.subarray(frontmatter.start, frontmatter.end),
		) !== 0
	) {
		return false;
	}
	return kernelsOf(skill).every((kernel) =>
		Buffer.from(rebuilt.buffer, rebuilt.byteOffset, rebuilt.length).includes(Buffer.from(kernel.bytes)),
	);
}

function randomEdit(random: (below: number) => number, sections: { id: string; text: string }[]): Edit {
	const section = sections[random(sections.length)]!;
	const text = `${HOSTILE[random(HOSTILE.length)]}${random(3) === 0 ? `\n${HOSTILE[random(HOSTILE.length)]}` : ""}`;
	const from = random(Math.max(1, section.text.length));
	const find = random(4) === 0 ? undefined : section.text.slice(from, from + 1 + random(40));
	const op = (["append", "append", "replace", "delete"] as const)[random(4)]!;
	return { op, section: section.id, text, ...(find === undefined || find === "" ? {} : { find }) };
}

describe("a kernel", () => {
	it.skipIf(!hasCorpus)(
		"put before any line of any public skill is found with its exact bytes, or the file is refused with a line",
		{ timeout: 60_000 },
		() => {
			let found = 0;
			for (const text of subjects()) {
				// All lines of most files, every fourth line of the largest, unless more was asked for.
				const step = text.length > 20_000 && EDITS < 1_000_000 ? 4 : 1;
				for (const [index, { before, after, hidden }] of boundariesOf(text).entries()) {
					if (index % step !== 0) continue;
					found++;
					let skill: Skill;
					try {
						skill = parseSkill(bytesOf(`${before}${KERNEL}\n${after}`));
					} catch (error) {
						if (!(error instanceof InputError) || !hidden) throw error;
						expect(error.problems.every(({ place }) => (place.line ?? 0) > 0)).toBe(true);
						continue;
					}
					const [kernel] = kernelsOf(skill);
					if (hidden) expect(kernel?.text ?? KERNEL).toBe(KERNEL);
					else if (kernel?.text !== KERNEL || kernelsOf(skill).length !== 1)
						expect.fail(`not found behind ${JSON.stringify(before.slice(-200))}`);
				}
			}
			expect(found).toBeGreaterThan(4000);
		},
	);

	it(`keeps every byte, and so does the frontmatter, over ${EDITS.toLocaleString("en")} hostile edits (seed ${SEED})`, {
		timeout: 30 * 60_000,
	}, () => {
		const random = createRandom(SEED);
		const texts = subjects().filter((text) => THOROUGH || text.length <= LONG);
		const counts = { edits: 0, applied: 0, proven: 0, admitted: 0 };
		const places = texts.map((text) => boundariesOf(text).filter(({ hidden }) => !hidden));
		for (let round = 0; counts.edits < EDITS; round++) {
			const list = places[round % places.length]!;
			const place = list[random(list.length)];
			if (place === undefined) continue;
			const skill = parseSkill(bytesOf(`${place.before}${KERNEL}\n${place.after}`));
			let sections = sectionsOf(skill);
			for (let batch = 0; batch < 8; batch++) {
				const edits = Array.from({ length: MAX_EDITS }, () => randomEdit(random, sections));
				const done = applyEdits(sections, edits);
				counts.edits += edits.length;
				counts.applied += done.results.filter(({ status }) => status === "applied").length;
				const harness = joinSections(done.sections);
				const rebuilt = rebuildSkill(skill, harness);
				if (!keepsBytes(skill, rebuilt)) expect.fail(`bytes changed in round ${round}`);
				const proof = proveKernel(skill, rebuilt);
				if (proof.ok) {
					counts.proven++;
					sections = done.sections;
				}
				if (batch === 0 && round % 20 === 0 && admitHarness(skill, harnessOf(skill), harness).ok) {
					counts.admitted++;
					expect(proof.ok).toBe(true);
				}
			}
		}
		expect(counts.applied).toBeGreaterThan(counts.edits / 4);
		expect(counts.proven).toBeGreaterThan(0);
	});

	it("keeps every byte whatever a harness holds, and what is admitted is proven", () => {
		const skill = parseSkill(bytesOf(SEED_SKILL));
		const harness = fc.array(fc.oneof(fc.constantFrom(...HOSTILE, "\n", "\n\n"), fc.string({ unit: "binary" })), {
			maxLength: 12,
		});
		fc.assert(
			fc.property(harness, harness, (one, two) => {
				const proposal = [one.join("\n"), two.join("\n")];
				const rebuilt = rebuildSkill(skill, proposal);
				expect(keepsBytes(skill, rebuilt)).toBe(true);
				if (admitHarness(skill, harnessOf(skill), proposal).ok)
					expect(proveKernel(skill, rebuilt)).toEqual({ ok: true });
			}),
			{ numRuns: 1000, seed: SEED },
		);
	});
});
