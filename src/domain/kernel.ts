/**
 * The pin: what a skill's frontmatter and kernel regions were when a run started. It is kept outside the skill, because
 * who edits a region can edit a hash beside it. Knows hashes and order only, never what the kernel says.
 */
import { z } from "zod";
import { digest } from "./digest.ts";
import { kernelsOf, type Skill } from "./skill.ts";

const hex = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in lowercase hex");

export const pinSchema = z.strictObject({
	/** SHA-256 of the frontmatter with both of its `---` lines; null when there is none. */
	frontmatterSha256: hex.nullable(),
	/** In document order. Each hash covers the exact bytes of a region with its marker lines, without the line end behind it. */
	regions: z.array(z.strictObject({ id: z.string(), sha256: hex })),
	/** One digest of all regions in order; the frontmatter is not in it. */
	kernelSha256: hex,
});
export type Pin = z.infer<typeof pinSchema>;

/** What a skill is pinned to. */
export function pinOf(skill: Skill): Pin {
	const regions = kernelsOf(skill).map(({ id, sha256 }) => ({ id, sha256 }));
	return { frontmatterSha256: skill.frontmatter?.sha256 ?? null, regions, kernelSha256: digest(regions) };
}

/** What differs between a pin and a skill, in sentences for people; empty when they are equal. */
export function comparePin(pin: Pin, skill: Skill): string[] {
	const now = pinOf(skill);
	const differences: string[] = [];
	if (pin.frontmatterSha256 !== now.frontmatterSha256) differences.push(frontmatterDifference(pin, now));
	const before = new Map(pin.regions.map(({ id, sha256 }) => [id, sha256]));
	const after = new Map(now.regions.map(({ id, sha256 }) => [id, sha256]));
	for (const [id, sha256] of before) {
		if (!after.has(id)) differences.push(`kernel region ${id} is gone`);
		else if (after.get(id) !== sha256) differences.push(`kernel region ${id} has other bytes`);
	}
	for (const id of after.keys()) if (!before.has(id)) differences.push(`kernel region ${id} is new`);
	const order = (pinned: Pin) => pinned.regions.map(({ id }) => id).join(", ");
	if (differences.every((text) => text.startsWith("the frontmatter")) && order(pin) !== order(now)) {
		differences.push(`the kernel regions stand in another order: ${order(now)} instead of ${order(pin)}`);
	}
	if (differences.length === 0 && pin.kernelSha256 !== now.kernelSha256)
		differences.push("the pin contradicts itself: its digest is not that of its regions");
	return differences;
}

function frontmatterDifference(pin: Pin, now: Pin): string {
	if (pin.frontmatterSha256 === null) return "the frontmatter is new";
	return now.frontmatterSha256 === null ? "the frontmatter is gone" : "the frontmatter has other bytes";
}
