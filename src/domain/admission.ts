/**
 * Whether a proposed harness may become a variant. The guarantee behind the product: whatever a model writes, it cannot
 * touch, hide, imitate or outgrow the kernel, and it gains no power that the text did not have. Knows the skill, the parent
 * and the proposal, and no model. Everything is deterministic; only the flags are a matter of taste.
 */
import { addedCapabilities, addedCharacters } from "./admission-capability.ts";
import type { AdmissionRefusal } from "./admission-refusal.ts";
import { addedStructure } from "./admission-structure.ts";
import { findLeak } from "./leak.ts";
import { linesOf } from "./line.ts";
import { overridesIn } from "./override.ts";
import {
	bodyOf,
	harnessOf,
	kernelsOf,
	MAX_SKILL_BYTES,
	proveKernel,
	rebuildSkill,
	type Skill,
	settleHarness,
} from "./skill.ts";

/** What a person should look at before the variant is promoted; it stops nothing. */
export interface AdmissionFlag {
	code: "override";
	message: string;
	segment: number;
}

export interface AdmissionOptions {
	/** Harness size in bytes that is always allowed. Default 15,000, as other optimizers of skills have it. */
	maxBytes?: number;
	/** Growth that is always allowed, as a multiple of the original harness. Default 1.2, so that a long skill can grow too. */
	maxRatio?: number;
	/** Texts of recorded cases that must not be repeated. */
	caseTexts?: readonly string[];
}

export type Admission = { ok: true; flags: AdmissionFlag[] } | { ok: false; refusals: AdmissionRefusal[] };

const LONE_SURROGATE = /\p{Surrogate}/u;
const DEFAULT_MAX_BYTES = 15_000;
const DEFAULT_MAX_RATIO = 1.2;

/**
 * Judges a proposed harness against its parent. What the parent's harness or the original file already held is no
 * addition. All refusals are listed, in order of segment.
 */
export function admitHarness(
	original: Skill,
	parentHarness: readonly string[],
	harness: readonly string[],
	options: AdmissionOptions = {},
): Admission {
	const count = harnessOf(original).length;
	if (harness.length !== count || parentHarness.length !== count) {
		const message = `the skill has ${count} harness segments, the proposal ${harness.length}, its parent ${parentHarness.length}`;
		return { ok: false, refusals: [{ code: "segments", message, segment: 0 }] };
	}
	const broken = harness.findIndex((text) => LONE_SURROGATE.test(text));
	if (broken >= 0)
		return {
			ok: false,
			refusals: [{ code: "broken-text", message: "it holds half of a surrogate pair", segment: broken }],
		};
	const known = [bodyOf(original), original.frontmatter?.text ?? "", ...parentHarness];
	const parent = settleHarness(original, parentHarness);
	const settled = settleHarness(original, harness);
	const refusals = [
		...growth(original, parent, settled, options),
		...addedStructure(original, parent, settled),
		...addedCharacters(known, settled),
		...addedCapabilities(known, settled),
		...addedCaseText(known, settled, options.caseTexts ?? []),
	];
	if (refusals.length === 0) refusals.push(...proof(original, settled));
	if (refusals.length > 0)
		return { ok: false, refusals: refusals.sort((a, b) => a.segment - b.segment || (a.line ?? 0) - (b.line ?? 0)) };
	return { ok: true, flags: overrideFlags(original, known, settled) };
}

function growth(
	original: Skill,
	parent: readonly string[],
	harness: readonly string[],
	options: AdmissionOptions,
): AdmissionRefusal[] {
	const size = bytesOf(harness);
	const before = bytesOf(harnessOf(original));
	const ratio = Math.floor(before * (options.maxRatio ?? DEFAULT_MAX_RATIO));
	const limit = Math.min(
		Math.max(options.maxBytes ?? DEFAULT_MAX_BYTES, ratio),
		MAX_SKILL_BYTES - (original.bytes.length - before),
	);
	// A parent over the limit may still be changed, as long as it does not grow.
	if (size <= limit || size <= bytesOf(parent)) return [];
	return [{ code: "too-large", message: `the harness has ${size} bytes, the limit is ${limit}`, segment: 0 }];
}

function bytesOf(harness: readonly string[]): number {
	return harness.reduce((sum, text) => sum + Buffer.byteLength(text, "utf8"), 0);
}

function addedCaseText(
	known: readonly string[],
	harness: readonly string[],
	caseTexts: readonly string[],
): AdmissionRefusal[] {
	if (caseTexts.length === 0) return [];
	const before = known.join("\n");
	return harness.flatMap((text, segment) => {
		const leak = known.includes(text) ? null : findLeak(text, caseTexts, before);
		if (leak === null) return [];
		return [
			{ code: "case-text" as const, message: `it repeats a recorded case: "${leak.text.slice(0, 100)}"`, segment },
		];
	});
}

function proof(original: Skill, harness: readonly string[]): AdmissionRefusal[] {
	const proven = proveKernel(original, rebuildSkill(original, harness));
	return proven.ok ? [] : [{ code: "kernel-proof", message: proven.reason, segment: 0 }];
}

function overrideFlags(original: Skill, known: readonly string[], harness: readonly string[]): AdmissionFlag[] {
	const ids = kernelsOf(original).map(({ id }) => id);
	const said = new Set(known.flatMap(rowsOf));
	return harness.flatMap((text, segment) => {
		const added = rowsOf(text).filter((row) => !said.has(row));
		return overridesIn(added.join("\n"), ids).map((sentence) => ({
			code: "override" as const,
			message: `this may talk a reader out of the kernel: "${sentence.slice(0, 160)}"`,
			segment,
		}));
	});
}

function rowsOf(text: string): string[] {
	return linesOf(text).map(({ start, end }) => text.slice(start, end));
}
