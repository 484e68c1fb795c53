/** A run further on: a text with some edits was admitted, measured and adopted. */
import type { Case } from "../../src/domain/case.ts";
import type { Purpose, RunEvent, TracedEdit, VariantRecord } from "../../src/domain/events.ts";
import { type RunState, replay, searchOf } from "../../src/domain/run-state.ts";
import type { Outcome } from "../../src/domain/trial.ts";
import { recordOf } from "../../src/engine/patch.ts";
import { aJudgement, anAdmission, aTrial, type Begun, measured } from "./builders.ts";

export interface Adopted {
	events: RunEvent[];
	state: RunState;
	variant: VariantRecord;
}

/** Measures a text on some cases; what comes of it is not decided. */
export function measuredWith(
	start: Begun,
	patch: readonly TracedEdit[],
	options: {
		events?: readonly RunEvent[];
		outcome?: (entry: Case) => Outcome;
		cases?: readonly string[];
		purpose?: Purpose;
	} = {},
): Adopted {
	const { events = start.events, purpose = "pass" } = options;
	const before = replay(events);
	const edits = patch.filter((traced) => before.edits[traced.id] === undefined);
	const admission = anAdmission(searchOf(before).working, { edits: [...edits], purpose });
	const { generation } = searchOf(before);
	const origin = { parents: [start.incumbent], operator: "reflect" as const, generation };
	const variant = recordOf(replay([...events, admission]), patch, origin);
	const cases = [...(options.cases ?? start.state.opened?.trainSample ?? [])];
	const passing = (entry: Case) => measured(entry.checks.map((check) => (check.contract ? null : 1)));
	const trials = cases.map((id) =>
		aTrial(variant.id, id, (options.outcome ?? passing)(start.context.byId.get(id) as Case)),
	);
	const all: RunEvent[] = [
		...events,
		{ ...admission, variant, cases },
		{ type: "trials-measured", purpose, generation, trials },
	];
	return { events: all, state: replay(all), variant };
}

/** The same, adopted as the working text. */
export function adoptedWith(
	start: Begun,
	patch: readonly TracedEdit[],
	options: Parameters<typeof measuredWith>[2] & { restored?: string[] } = {},
): Adopted {
	const { events, state, variant } = measuredWith(start, patch, options);
	const kept = patch.map((traced) => traced.id);
	const { generation } = searchOf(state);
	const judgement = aJudgement(variant, { generation, kept, restored: options.restored ?? [] });
	const all: RunEvent[] = [...events, judgement];
	return { events: all, state: replay(all), variant };
}
