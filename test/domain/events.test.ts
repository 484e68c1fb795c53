import { describe, expect, it } from "vitest";
import { parseRunEvent, type RunEvent, runEventSchema } from "../../src/domain/events.ts";
import { aProposal, begun } from "../support/builders.ts";
import { sampleRun } from "../support/sample-run.ts";

const CONSOLIDATED: RunEvent = {
	...{ type: "proposals-consolidated", generation: 1, operator: "merge", proposal: aProposal("m", "merge", []) },
	...{ reason: "", calls: 1, tokens: 5, usd: null },
};
const EVENTS = [...sampleRun().events, ...begun().events, CONSOLIDATED];

describe("an event of the log", () => {
	it("says the same after it was written and read", () => {
		for (const event of EVENTS) expect(parseRunEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
	});

	it("needs every one of its fields, and has no others", () => {
		for (const event of EVENTS) {
			expect(() => parseRunEvent({ ...event, extra: 1 })).toThrow();
			for (const field of Object.keys(event)) {
				if (field === "limit") continue;
				const { [field]: _gone, ...rest } = event as Record<string, unknown>;
				expect(runEventSchema.safeParse(rest).success, `${event.type} without ${field}`).toBe(false);
			}
		}
	});

	it("is refused with another version, an unknown type, or no shape at all", () => {
		const [opening] = EVENTS;
		expect(() => parseRunEvent({ ...opening, v: 2 })).toThrow();
		for (const value of [{ type: "run-paused" }, {}, [], null, "run-opened", 1])
			expect(() => parseRunEvent(value)).toThrow();
	});

	it("knows the purposes of a measurement and the operators of a consolidation, and no others", () => {
		const admitted = EVENTS.find((event) => event.type === "variant-admitted");
		for (const purpose of ["probe", "pass", "prune"]) {
			expect(parseRunEvent({ ...admitted, purpose })).toMatchObject({ purpose });
		}
		expect(() => parseRunEvent({ ...admitted, purpose: "round" })).toThrow();
		expect(parseRunEvent({ ...CONSOLIDATED, operator: "rank", proposal: null })).toMatchObject({ operator: "rank" });
		expect(() => parseRunEvent({ ...CONSOLIDATED, operator: "choose" })).toThrow();
	});

	it("never holds a number that JSON cannot say", () => {
		const measured = EVENTS.find((event) => event.type === "trials-measured");
		if (measured?.type !== "trials-measured") throw new Error("the sample measures");
		const [trial, ...rest] = measured.trials;
		for (const tokens of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
			const spend = { ...trial?.spend, tokens };
			expect(() => parseRunEvent({ ...measured, trials: [{ ...trial, spend }, ...rest] })).toThrow();
		}
	});
});
