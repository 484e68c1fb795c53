/**
 * What is said to a model and what comes back, in the words of the domain. Knows no provider and no transport.
 */
import { z } from "zod";

export const messageSchema = z.strictObject({
	role: z.enum(["system", "user", "assistant"]),
	content: z.string(),
});
export type Message = z.infer<typeof messageSchema>;

/** US dollars per million tokens. */
export const priceSchema = z.strictObject({
	inputPerMTok: z.number().nonnegative(),
	outputPerMTok: z.number().nonnegative(),
	cachedInputPerMTok: z.number().nonnegative().optional(),
});
export type Price = z.infer<typeof priceSchema>;

/** A model and the settings that determine its answers. */
export const modelSettingsSchema = z.strictObject({
	name: z.string().min(1),
	temperature: z.number().min(0).max(2).optional(),
	/** Upper limit of one answer, in tokens. */
	maxOutputTokens: z.number().int().positive().optional(),
	reasoningEffort: z.enum(["minimal", "low", "medium", "high"]).optional(),
	price: priceSchema.optional(),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** The three roles a model can play in a run. */
export const ROLES = ["task", "reflection", "judge"] as const;
export type Role = (typeof ROLES)[number];

/** Tokens of one answer, or of the answers of a trial together. */
export const usageSchema = z.strictObject({
	prompt: z.number().int().nonnegative(),
	completion: z.number().int().nonnegative(),
	/** Part of `prompt` that the endpoint served from its cache. */
	cached: z.number().int().nonnegative(),
	/** Part of `completion` that was spent on hidden reasoning. */
	reasoning: z.number().int().nonnegative(),
	/** True when the endpoint told no usage and the figures are estimates. */
	estimated: z.boolean(),
});
export type Usage = z.infer<typeof usageSchema>;

/** Why an answer ended: by itself, at the length limit, refused by the model or a filter, or for a reason unknown to us. */
export const FINISHES = ["stop", "length", "refused", "other"] as const;
export type Finish = (typeof FINISHES)[number];

/** One paid answer of a model. */
export const replySchema = z.strictObject({
	text: z.string(),
	finish: z.enum(FINISHES),
	usage: usageSchema,
	/** Time of the call that answered, without waiting for a slot and without earlier attempts, in milliseconds. */
	latencyMs: z.number().nonnegative(),
});
export type Reply = z.infer<typeof replySchema>;

export const NO_USAGE: Usage = { prompt: 0, completion: 0, cached: 0, reasoning: 0, estimated: false };

export function addUsage(a: Usage, b: Usage): Usage {
	return {
		prompt: a.prompt + b.prompt,
		completion: a.completion + b.completion,
		cached: a.cached + b.cached,
		reasoning: a.reasoning + b.reasoning,
		estimated: a.estimated || b.estimated,
	};
}

/** Cost in US dollars, or null when the model has no price. Cached input is charged at its own price where one is given. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
	if (price === undefined) return null;
	const cachedPrice = price.cachedInputPerMTok ?? price.inputPerMTok;
	return (
		((usage.prompt - usage.cached) * price.inputPerMTok +
			usage.cached * cachedPrice +
			usage.completion * price.outputPerMTok) /
		1e6
	);
}
