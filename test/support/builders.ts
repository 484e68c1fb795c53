/** Small parts of a run for tests of single decisions: trials, proposals, and the state of a search that has just begun. */
import type { Case } from "../../src/domain/case.ts";
import type { EventOf, Proposal, RunEvent, TracedEdit, VariantRecord } from "../../src/domain/events.ts";
import { type JobSpec, type Settings, settingsOf } from "../../src/domain/job-spec.ts";
import { type RunState, replay } from "../../src/domain/run-state.ts";
import type { Edit } from "../../src/domain/section.ts";
import { parseSkill } from "../../src/domain/skill.ts";
import type { Outcome, Trial } from "../../src/domain/trial.ts";
import { createContext, type RunContext } from "../../src/engine/context.ts";
import { openRun } from "../../src/engine/open.ts";
import { parcelCases, skillBytes } from "./parcels.ts";

type Measured = Extract<Outcome, { status: "measured" }>;

/** A measured outcome; its quality is the mean of the scores that count, where none is given. */
export function measured(scores: (number | null)[], changes: Partial<Measured> = {}): Measured {
	const counted = scores.flatMap((score) => score ?? []);
	const quality = counted.reduce((sum, score) => sum + score, 0) / Math.max(1, counted.length);
	return { status: "measured", quality, latencyMs: 200, tokens: 100, retries: 0, scores, ...changes };
}

export function aTrial(variant: string, caseId: string, outcome: Outcome): Trial {
	const spend = { taskCalls: 1 + (outcome.retries ?? 0), judgeCalls: 0, tokens: outcome.tokens ?? 0, usd: null };
	return { variant, caseId, repeat: 0, rollout: `${variant}-${caseId}`, outcome, spend };
}

/** A trial without an outcome. */
export function lostTrial(variant: string, caseId: string): Trial {
	return aTrial(variant, caseId, {
		status: "failed",
		reason: "infrastructure",
		quality: null,
		tokens: null,
		retries: null,
	});
}

export function anAppend(text: string, section = "1/packing"): Edit {
	return { op: "append", section, text };
}

export function aProposal(id: string, group: string, edits: Edit[], changes: Partial<Proposal> = {}): Proposal {
	const paid = { reflection: `r-${id}`, calls: 1, tokens: 100, usd: null };
	return { id, group, status: "usable", diagnosis: "", cause: null, edits, ...paid, ...changes };
}

export function aTracedEdit(id: string, group: string, edit: Edit = anAppend(`- Line ${id}.`)): TracedEdit {
	return { id, proposal: id, group, generation: 0, edit };
}

export function anAdmission(
	variant: VariantRecord,
	changes: Partial<EventOf<"variant-admitted">> = {},
): EventOf<"variant-admitted"> {
	return {
		type: "variant-admitted",
		variant,
		edits: [],
		refusals: [],
		cases: [],
		purpose: "pass",
		...changes,
	};
}

/** The judgement that adopts a variant as the working text and begins the next generation. */
export function aJudgement(
	working: VariantRecord,
	changes: Partial<EventOf<"edits-judged">> = {},
): EventOf<"edits-judged"> {
	return {
		type: "edits-judged",
		generation: 0,
		variant: working.id,
		adopted: true,
		except: [],
		kept: [],
		dropped: [],
		restored: [],
		refusals: [],
		working,
		reason: "",
		...changes,
	};
}

export interface Begun {
	context: RunContext;
	settings: Settings;
	cases: readonly Case[];
	incumbent: string;
	events: RunEvent[];
	state: RunState;
	/** The state after more events. */
	after(...events: RunEvent[]): RunState;
}

/** A run on parcels whose v0 has been measured with these outcomes on its train cases. */
export function begun(
	options: {
		skill?: string;
		cases?: readonly Case[];
		spec?: Partial<JobSpec>;
		outcome?: (entry: Case, at: number) => Outcome;
	} = {},
): Begun {
	const skill = parseSkill(skillBytes(options.skill));
	const cases = options.cases ?? parcelCases({ train: 9, validation: 9, holdout: 9 });
	const settings = settingsOf("parcels", { schemaVersion: 1, ...options.spec }, "m");
	const base = { commit: "c".repeat(40), path: "parcels/SKILL.md", blob: "b".repeat(40), ref: "refs/heads/main" };
	const startedAt = "2026-01-01T00:00:00.000Z";
	const opened = openRun({ run: "r", startedAt, settings, offline: false, base, skill, cases });
	const outcome = options.outcome ?? (() => measured([null, 0, 0, 1]));
	const context = createContext(skill, settings, cases);
	const trials = opened.trainSample.map((id, at) =>
		aTrial(opened.incumbent.id, id, outcome(context.byId.get(id) as Case, at)),
	);
	const events: RunEvent[] = [opened, { type: "trials-measured", purpose: "incumbent", generation: 0, trials }];
	return {
		context,
		settings,
		cases,
		incumbent: opened.incumbent.id,
		events,
		state: replay(events),
		after: (...more) => replay([...events, ...more]),
	};
}
