/**
 * The shape of `report.json`, from which its published JSON Schema is made (docs/report.schema.json). Fields may be added under
 * one schema version; none is renamed, and none changes its meaning.
 *
 * It must not compute. Figures are unrounded; null says that nothing is known.
 */
import { z } from "zod";
import { SPLITS } from "./case.ts";
import { generationSchema, OPERATORS, STATUSES, STOPPERS } from "./events.ts";
import { estimateSchema, OBJECTIVES, scorecardSchema } from "./objective.ts";

export const REPORT_VERSION = 1;

const figure = z.number().nullable();
const count = z.number().int().nonnegative();
const objective = z.enum(OBJECTIVES);
const split = z.enum(SPLITS);
const bySplit = <Schema extends z.ZodType>(schema: Schema) =>
	z.object({ train: schema, validation: schema, holdout: schema });

const variant = z.object({
	id: z.string(),
	label: z.string(),
	parents: z.array(z.string()),
	operator: z.enum(OPERATORS),
	generation: generationSchema,
	bytes: count,
	edits: count,
	file: z.string().nullable(),
	scorecards: bySplit(scorecardSchema.nullable()),
	change: z.object({ quality: figure, latencyMs: figure, tokens: figure, retries: figure }).nullable(),
	onFront: z.boolean(),
	state: z.enum(["incumbent", "winner", "best", "retired"]),
	reason: z.string(),
});

const change = z
	.object({
		objective,
		before: estimateSchema,
		after: estimateSchema,
		mean: figure,
		low: figure,
		high: figure,
		n: count,
		missing: count,
		p: z.number(),
		held: z.boolean().nullable(),
		says: z.enum(["better", "worse", "same", "unclear", "unknown"]),
	})
	.describe(
		"after - before over the cases that both sides know: difference of the means (latency: of the medians) with a 95 % interval; p after Holm's correction; held: proved to stay within the margin of the job spec",
	);

const groupCount = z.object({ failing: count, total: count });
const group = z.object({
	id: z.string(),
	label: z.string(),
	note: z.string().nullable(),
	worked: count,
	before: groupCount,
	after: groupCount.nullable(),
});

const edit = z.object({
	id: z.string(),
	op: z.string(),
	section: z.string(),
	find: z.string().nullable(),
	text: z.string().nullable(),
	group: z.string(),
	generation: generationSchema,
	dropped: z.string().nullable(),
	earned: group.nullable(),
});

const side = z.object({
	quality: figure,
	latencyMs: figure,
	tokens: figure,
	retries: figure,
	trials: count,
	failures: z.array(z.string()),
	rollouts: z.array(z.string()),
	scores: z.array(figure),
});

const caseOfReport = z.object({
	id: z.string(),
	split,
	group: z.string().nullable(),
	weight: z.number(),
	input: z.string(),
	checks: z.array(z.object({ label: z.string(), note: z.string().nullable(), contract: z.boolean() })),
	before: side.nullable(),
	after: side.nullable(),
	change: figure,
});

const documentPart = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("frontmatter"), text: z.string() }),
	z.object({ kind: z.literal("kernel"), id: z.string(), sha256: z.string(), text: z.string() }),
	z.object({
		kind: z.literal("section"),
		id: z.string(),
		title: z.string().nullable(),
		before: z.string(),
		after: z.string(),
	}),
]);

const gate = z.object({
	gate: z.enum(["validation", "holdout"]),
	variant: z.string(),
	label: z.string(),
	attempt: count,
	objective: z.enum(["quality", "tokens"]),
	pairs: count,
	answer: z.string(),
	p: figure,
	alpha: z.number(),
	mean: figure,
	low: figure,
	high: figure,
	reason: z.string(),
});

const spend = z.object({
	trials: count,
	modelCalls: count,
	taskCalls: count,
	judgeCalls: count,
	reflectionCalls: count,
	tokens: z.number(),
	usd: figure,
	cost: z.string(),
	seconds: z.number(),
	harvested: count,
	limits: z.array(
		z.object({ limit: z.enum(["calls", "trials", "tokens", "usd", "minutes"]), used: figure, of: z.number() }),
	),
});

export const reportSchema = z.object({
	schemaVersion: z.literal(REPORT_VERSION),
	run: z.string(),
	skill: z.string(),
	startedAt: z.string(),
	offline: z.boolean().describe("built-in rules answered instead of a language model: a simulation"),
	models: z.object({ task: z.string(), reflection: z.string(), judge: z.string() }),
	settings: z.object({
		policy: z.string(),
		seed: z.number(),
		repeats: z.number(),
		holdout: z.string(),
		kernel: z.string(),
		promote: z.string(),
		qualityMargin: z.number(),
	}),
	base: z.object({ commit: z.string(), path: z.string(), ref: z.string().nullable() }),
	caseCounts: bySplit(count),
	verdict: z.object({
		status: z.enum(STATUSES),
		stoppedBy: z.enum(STOPPERS).nullable(),
		open: z.boolean(),
		headline: z.string(),
		reason: z.string(),
		change: z.string(),
	}),
	answers: z.object({
		decision: z.enum(["promote", "keep", "undecided"]),
		changed: z.string(),
		better: z.string(),
		sure: z.string(),
		cost: z.string(),
		undo: z.string(),
	}),
	incumbent: z.string().describe("id of a variant"),
	winner: z.string().nullable(),
	challenger: z.string().nullable().describe("what v0 is compared with: the winner, else the best text found"),
	challengerName: z.enum(["winner", "best text", "tested text"]),
	changes: bySplit(z.array(change).nullable()),
	shrinkage: z.array(
		z.object({ objective, validation: z.number(), holdout: z.number(), difference: z.number(), kept: figure }),
	),
	noise: z.object({ sd: z.number(), pairs: count, provable: figure }).nullable(),
	front: z.array(z.string()),
	variants: z.array(variant),
	counts: z.object({ proposed: count, refused: count, admitted: count, validated: count }),
	unusable: z.array(z.object({ reason: z.string(), count })),
	edits: z.array(edit),
	dropped: z.array(edit),
	refusals: z.array(z.object({ code: z.string(), count, messages: z.array(z.string()), text: z.string().nullable() })),
	groups: z.array(group),
	countedText: z.string().nullable().describe("label of the text that the counts after the search are of"),
	gates: z.array(gate),
	spend,
	progress: z.array(
		z.object({
			seconds: z.number(),
			generation: count,
			calls: count,
			tokens: z.number(),
			usd: figure,
			what: z.string(),
		}),
	),
	generations: z.array(z.object({ generation: count, hypervolume: z.number(), quality: z.number(), texts: count })),
	matrix: z.object({
		variants: z.array(z.string()),
		rows: z.array(
			z.object({
				case: z.string(),
				split,
				quality: z.array(figure),
				retries: z.array(figure),
				errors: z.array(count.nullable()),
			}),
		),
	}),
	cases: z.array(caseOfReport),
	wins: z.array(z.string()),
	losses: z.array(z.string()),
	document: z.array(documentPart),
	capabilities: z.array(z.object({ change: z.enum(["gained", "lost"]), kind: z.string(), token: z.string() })),
	kernelSha256: z.string(),
	promotion: z
		.object({ commit: z.string(), ref: z.string(), tag: z.string(), version: count, kernelSha256: z.string() })
		.nullable(),
	promotionRefused: z.object({ reason: z.string(), message: z.string() }).nullable(),
	revert: z.string().nullable(),
	repositoryPath: z.string().nullable(),
	resume: z.string().nullable(),
	method: z.array(z.string()),
	caveats: z.array(z.string()),
	reportPath: z.string().nullable(),
});
export type ReportDocument = z.infer<typeof reportSchema>;

/** What an overview of many runs needs of a report. */
const summarySchema = reportSchema.pick({
	...{ schemaVersion: true, run: true, skill: true, startedAt: true, offline: true, verdict: true, answers: true },
	...{ changes: true, spend: true, promotion: true, counts: true },
});
export type ReportSummary = z.infer<typeof summarySchema>;

/** The part of a report that an overview needs; null for what is no report of this version. */
export function readSummary(document: unknown): ReportSummary | null {
	return summarySchema.safeParse(document).data ?? null;
}

/**
 * The JSON Schema of `report.json`.
 * @param open whether fields that are not named are allowed, as they are for readers: a later version may add some
 */
export function reportJsonSchema(open = true): object {
	return z.toJSONSchema(reportSchema, { io: open ? "input" : "output", target: "draft-7" });
}
