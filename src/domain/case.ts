/**
 * Recorded cases. A case is what a person once asked, the checks that say what a good answer is, and its place in one of
 * the three splits.
 */
import { z } from "zod";
import { checkSchema } from "./check.ts";
import { messageSchema } from "./dialogue.ts";
import { digest, sha256 } from "./digest.ts";

export const SPLITS = ["train", "validation", "holdout"] as const;
export type Split = (typeof SPLITS)[number];

const ID = /^[A-Za-z0-9._-]{1,80}$/;

const recordedSchema = z.strictObject({
	output: z.string().optional(),
	latencyMs: z.number().nonnegative().optional(),
	tokens: z.union([z.number().nonnegative(), z.record(z.string(), z.number().nonnegative())]).optional(),
	retries: z.union([z.number().int().nonnegative(), z.record(z.string(), z.number().int().nonnegative())]).optional(),
	skillSha256: z.string().optional(),
	source: z.unknown().optional(),
});

/** A case as a person writes it in a file of `eval-cases/<skill>/`. */
export const caseSchema = z
	.strictObject({
		id: z.string().regex(ID, "1 to 80 letters, digits, dots, underscores or hyphens"),
		split: z.enum(SPLITS).optional(),
		group: z.string().min(1).optional(),
		input: z.string().min(1).optional(),
		messages: z.array(messageSchema).min(1).optional(),
		args: z.string().optional(),
		weight: z.number().positive().default(1),
		checks: z.array(checkSchema).min(1),
		recorded: recordedSchema.optional(),
	})
	.refine((value) => (value.input === undefined) !== (value.messages === undefined), {
		message: "a case has either `input` or `messages`",
	})
	.refine((value) => value.checks.some((check) => !check.contract && check.weight > 0), {
		message: "a case needs at least one check that counts (not a contract, weight above 0)",
	});
export type CaseFileEntry = z.infer<typeof caseSchema>;

/** A case with its split decided; the order of its checks is part of its content. */
export type Case = Omit<CaseFileEntry, "split"> & { split: Split };

export const caseFileSchema = z.strictObject({ schemaVersion: z.literal(1), cases: z.array(z.unknown()) });

/**
 * The split of a case that names none: a stable hash of its group (else its id) decides, 40 % train, 40 % validation,
 * 20 % holdout, so that adding a case never moves another.
 */
export function stableSplit(entry: { id: string; group?: string | undefined }): Split {
	const share = Number.parseInt(sha256(`split:${entry.group ?? entry.id}`).slice(0, 8), 16) / 0x1_0000_0000;
	return share < 0.4 ? "train" : share < 0.8 ? "validation" : "holdout";
}

/** The entry with its split decided. */
export function placeCase(entry: CaseFileEntry): Case {
	return { ...entry, split: entry.split ?? stableSplit(entry) };
}

/** Digest of a set of cases, independent of files and of order. */
export function caseSetDigest(cases: readonly Case[]): string {
	return digest([...cases].sort((a, b) => (a.id < b.id ? -1 : 1)));
}

/** Cases of one split, in order of id, so that the order of files never steers a run. */
export function casesOf(cases: readonly Case[], split: Split): Case[] {
	return cases.filter((entry) => entry.split === split).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
