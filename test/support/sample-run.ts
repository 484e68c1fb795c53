/**
 * A whole run in a few hand-made events, folded by the real `evolve`: v0 and three texts, of which the second is proved and
 * promoted. Everything that a test wants otherwise is an option.
 */
import type { Case, Split } from "../../src/domain/case.ts";
import type {
	GroupRecord,
	Proposal,
	RunEvent,
	Status,
	Stopper,
	TracedEdit,
	VariantRecord,
} from "../../src/domain/events.ts";
import { type Settings, settingsOf } from "../../src/domain/job-spec.ts";
import { pinOf } from "../../src/domain/kernel.ts";
import { type RunState, replay } from "../../src/domain/run-state.ts";
import { applyEdits, type Edit, joinSections, sectionsOf } from "../../src/domain/section.ts";
import { harnessOf, parseSkill } from "../../src/domain/skill.ts";
import type { Trial } from "../../src/domain/trial.ts";
import { variantId } from "../../src/domain/variant.ts";
import { createCauses } from "../../src/engine/search/causes.ts";
import { groupsOf } from "../../src/engine/search/groups.ts";
import { PLAIN, SAMPLE_EDITS, SAMPLE_SKILL, sampleCases, sampleOutcome } from "./sample-cases.ts";

type Name = "v0" | "a" | "b" | "c";
type Answer = "better" | "not-better" | "undecided";

/** What a run of the sample can be made to differ in. */
export interface SampleOptions {
	/** Cases by split. */
	counts?: Partial<Record<Split, number>>;
	settings?: Partial<Settings>;
	offline?: boolean;
	/** Mean quality of v0 and of the texts a, b (the finalist) and c. */
	quality?: Partial<Record<Name, number>>;
	/** Answers of the gates for the finalist; null: no look was taken. */
	validation?: Answer | null;
	holdout?: Answer | null;
	/** Stops before any text is validated. */
	searchOnly?: boolean;
	/** Price of a trial; null: none is known. */
	usd?: number | null;
	/** Events that follow the gates; by default the promotion and the closing of the run. */
	ending?: RunEvent[];
	/** Foreign text for every field that a model or a person writes. */
	text?: (field: string, usual: string) => string;
	/** Every n-th trial fails for want of an endpoint. */
	failEvery?: number;
}

export interface SampleRun {
	state: RunState;
	events: RunEvent[];
	cases: Case[];
	ids: Readonly<Record<Name, string>>;
}

const COMMIT = "4f2c9e1b7a6d5038c1e2f3a4b5c6d7e8f9012345";
const SKILL = parseSkill(new TextEncoder().encode(SAMPLE_SKILL));

/** The sample run; see {@link SampleOptions} for what can differ. */
export function sampleRun(options: SampleOptions = {}): SampleRun {
	const parts = partsOf(options);
	const events = [openedEvent(parts, options), ...searchEvents(parts), ...proofEvents(parts, options)];
	events.push(...(options.ending ?? promoted()));
	const { v0, a, b, c } = parts.records;
	return { state: replay(events), events, cases: parts.cases, ids: { v0: v0.id, a: a.id, b: b.id, c: c.id } };
}

/** The event that ends a run. */
export function closed(status: Status, stoppedBy: Stopper, reason: string): RunEvent {
	return { type: "run-closed", status, stoppedBy, reason };
}

type Text = NonNullable<SampleOptions["text"]>;

interface Parts {
	text: Text;
	usd: number | null;
	cases: Case[];
	train: Case[];
	edits: Record<string, Edit>;
	records: Record<Name, VariantRecord>;
	trials: (name: Name, split: Split) => Trial[];
}

function partsOf(options: SampleOptions): Parts {
	const text = options.text ?? PLAIN;
	const cases = sampleCases(options.counts, text);
	const edits = Object.fromEntries(Object.entries(SAMPLE_EDITS).map(([id, edit]) => [id, worded(edit, text)]));
	const v0 = record(edits, [], { operator: "seed", generation: 0, parents: [] });
	const a = record(edits, ["e1", "e2", "e3", "e4"], { operator: "reflect", generation: 1, parents: [v0.id] });
	const b = record(edits, ["e1", "e2", "e3"], { operator: "prune", generation: 2, parents: [a.id] });
	const c = record(edits, ["e3"], { operator: "attribute", generation: 1, parents: [a.id] });
	const records = { v0, a, b, c };
	const quality = { v0: 0.45, a: 0.8, b: 0.82, c: 0.6, ...options.quality };
	const usd = options.usd === undefined ? 0.0004 : options.usd;
	const trial = (name: Name, entry: Case, at: number): Trial => {
		const outcome = sampleOutcome(quality[name], name, entry, at, options.failEvery);
		const spend = { taskCalls: 1 + (outcome.retries ?? 0), judgeCalls: 0, tokens: outcome.tokens ?? 0, usd };
		return { variant: records[name].id, caseId: entry.id, repeat: 0, rollout: `${name}-${entry.id}`, outcome, spend };
	};
	const trials = (name: Name, split: Split) =>
		cases.filter((entry) => entry.split === split).map((entry, at) => trial(name, entry, at));
	return { text, usd, cases, train: cases.filter((entry) => entry.split === "train"), edits, records, trials };
}

function worded(edit: Edit, text: Text): Edit {
	return edit.text === undefined ? edit : { ...edit, text: text("edit", edit.text) };
}

function record(
	edits: Record<string, Edit>,
	patch: string[],
	origin: Pick<VariantRecord, "operator" | "generation" | "parents">,
): VariantRecord {
	const { sections } = applyEdits(
		sectionsOf(SKILL),
		patch.map((id) => edits[id] as Edit),
	);
	const harness = patch.length === 0 ? harnessOf(SKILL) : joinSections(sections);
	return { id: variantId(harness), harness, patch, ...origin };
}

function openedEvent({ records, train }: Parts, options: SampleOptions): RunEvent {
	const settings = { ...settingsOf("dataviz", { schemaVersion: 1 }, "gpt-5-mini"), ...options.settings };
	const bytes = Buffer.from(SAMPLE_SKILL).toString("base64");
	return {
		type: "run-opened",
		v: 1,
		run: "20260301T021500Z-dataviz-7c1f",
		startedAt: "2026-03-01T02:15:00.000Z",
		settings,
		offline: options.offline ?? false,
		base: { commit: COMMIT, path: "dataviz/SKILL.md", blob: "b".repeat(40), ref: "refs/heads/main", bytes },
		pin: pinOf(SKILL),
		caseSet: "c".repeat(64),
		protocol: "d".repeat(64),
		incumbent: records.v0,
		trainSample: train.map((entry) => entry.id),
	};
}

type Purpose = "incumbent" | "pass" | "validation" | "finalist" | "holdout";

function measured(purpose: Purpose, generation: number, trials: Trial[]): RunEvent {
	return { type: "trials-measured", purpose, generation, trials };
}

function searchEvents(parts: Parts): RunEvent[] {
	const { text, train, edits, records, trials } = parts;
	const groups = failureGroups(parts);
	const sortGroup = groups.find((group) => group.id !== "contract")?.id ?? "contract";
	const cases = train.map((entry) => entry.id);
	const traced = Object.entries(edits).map(([id, edit]): TracedEdit => {
		const origin = id === "e4" ? { proposal: "p2", group: "contract" } : { proposal: "p1", group: sortGroup };
		return { id, ...origin, generation: 1, edit };
	});
	const url = text("refusal", "it names the host charts.example.com, which v0 does not");
	const growth = text("refusal 2", "the harness would have 16,200 bytes, 15,000 are allowed");
	return [
		measured("incumbent", 0, trials("v0", "train")),
		{ type: "proposals-received", generation: 1, groups, proposals: proposals(parts, sortGroup) },
		{
			type: "variant-admitted",
			variant: records.a,
			edits: traced,
			refusals: [
				{ proposal: "p2", code: "url", message: url, text: text("refused text", "See https://charts.example.com") },
				{ proposal: "p2", code: "growth", message: growth },
			],
			cases,
			purpose: "pass",
		},
		measured("pass", 1, trials("a", "train")),
		{
			type: "edits-judged",
			generation: 1,
			variant: records.a.id,
			adopted: true,
			except: [],
			kept: ["e1", "e2", "e3"],
			dropped: [{ edit: "e4", reason: text("dropped", "the contract group fails 5 of 12 with it, 2 of 12 without") }],
			refusals: [],
			working: records.b,
			restored: [],
			reason: "three edits hold",
		},
		{ type: "variant-admitted", variant: records.c, edits: [], refusals: [], cases, purpose: "pass" },
		measured("pass", 2, [...trials("b", "train"), ...trials("c", "train")]),
	];
}

function failureGroups({ text, train, trials }: Parts): GroupRecord[] {
	const first = new Map(trials("v0", "train").map((trial) => [trial.caseId, trial]));
	return groupsOf(train, (id) => first.get(id), createCauses(train))
		.filter((group) => group.contract || group.label.startsWith("/sort"))
		.map(({ id, label, failing, total }) => ({ id, label: text("label", label), failing, total }));
}

/** One that became the text, one whose edits were refused or taken out, one of no use. */
function proposals({ text, edits, usd }: Parts, sortGroup: string): Proposal[] {
	const common = {
		diagnosis: text("diagnosis", "The text names a default that the checks contradict."),
		cause: "skill-defect",
		calls: 1,
		tokens: 5_400,
		usd: usd === null ? null : 0.012,
	};
	const pick = (...ids: string[]) => ids.map((id) => edits[id] as Edit);
	return [
		{ id: "p1", reflection: "r-p1", group: sortGroup, status: "usable", edits: pick("e1", "e2", "e3"), ...common },
		{ id: "p2", reflection: "r-p2", group: "contract", status: "usable", edits: pick("e4"), ...common },
		{
			...{ id: "p3", reflection: "r-p3", group: sortGroup, status: "dropped", edits: [], ...common },
			reason: text("drop reason", "truncated"),
		},
	];
}

function proofEvents({ cases, records, trials }: Parts, options: SampleOptions): RunEvent[] {
	if (options.searchOnly) return [];
	const others = [records.a.id, records.c.id];
	const reason = "no group is open";
	const events: RunEvent[] = [
		{ type: "search-finished", finalist: records.b.id, others, stoppedBy: "converged", reason },
	];
	const { validation = "better" } = options;
	if (validation === null) return events;
	events.push(measured("validation", 2, [...trials("v0", "validation"), ...trials("b", "validation")]));
	events.push(look("validation", records.b.id, validation));
	const { holdout = "better" } = options;
	if (validation === "better" && holdout !== null && cases.some((entry) => entry.split === "holdout")) {
		events.push({ type: "holdout-opened", variant: records.b.id });
		events.push(measured("holdout", 2, [...trials("v0", "holdout"), ...trials("b", "holdout")]));
		events.push(look("holdout", records.b.id, holdout));
	}
	return [...events, measured("finalist", 2, [...trials("a", "validation"), ...trials("c", "validation")])];
}

function look(gate: "validation" | "holdout", variant: string, answer: Answer): RunEvent {
	const proved = answer === "better";
	return {
		type: "look-taken",
		...{ gate, variant, answer, attempt: 1, objective: "quality", pairs: 20 },
		...{ p: proved ? 0.0004 : 0.21, alpha: 0.05, mean: 0.3, low: 0.15, high: 0.45 },
		reason: proved
			? "mean difference 0.3 on 20 cases, p = 0.0004 <= 0.05"
			: "mean difference 0.3 on 20 cases, p = 0.21 > 0.05: not proved",
	};
}

function promoted(): RunEvent[] {
	const { kernelSha256 } = pinOf(SKILL);
	const commit = "9a".repeat(20);
	return [
		{ type: "promotion-done", commit, ref: "refs/heads/main", tag: "gepa/dataviz/v1", version: 1, kernelSha256 },
		closed("promoted", "converged", "the winner is proved and committed"),
	];
}
