import { describe, expect, it } from "vitest";
import { createCheckTools } from "../../src/adapters/check-tools.ts";
import type { Check } from "../../src/domain/check.ts";
import type { Reply } from "../../src/domain/dialogue.ts";
import type { Dialogue } from "../../src/domain/trial.ts";
import { rubricsOf, scoreTrial } from "../../src/engine/score.ts";
import { check, reply } from "../support/tasks.ts";

const tools = createCheckTools();
const contract = check("json-schema", { schema: { type: "object" }, contract: true });
const isA = check("json-equals", { path: "/a", value: 1, weight: 3 });
const isB = check("json-equals", { path: "/b", value: 1 });
const kind = check("rubric", { criterion: "is kind" });

function dialogue(replies: Reply[], changes: Partial<Dialogue> = {}): Dialogue {
	return { key: "k", replies, complete: true, met: true, lostCalls: 0, ...changes };
}

function outcome(checks: Check[], of: Dialogue, more: Partial<Parameters<typeof scoreTrial>[0]> = {}) {
	return scoreTrial({ case: { checks }, dialogue: of, tools, ...more }).outcome;
}

describe("the outcome of a trial", () => {
	it("is the weighted mean of the checks that are no contract, with the cost of every reply", () => {
		const replies = [reply("no"), reply('{"a":1,"b":2}')];
		expect(outcome([contract, isA, isB], dialogue(replies))).toEqual({
			status: "measured",
			quality: 0.75,
			latencyMs: 14,
			tokens: 30,
			retries: 1,
			scores: [null, 1, 0],
		});
	});

	it("needs a usable reply only when no check is a contract", () => {
		expect(outcome([check("contains", { value: "x" })], dialogue([reply("x")]))).toMatchObject({
			status: "measured",
			quality: 1,
		});
	});

	it("has quality 0 when the contract was never met, and no latency", () => {
		const failed = outcome([contract, isA], dialogue([reply("no"), reply("no")], { met: false }));
		expect(failed).toEqual({ status: "failed", reason: "contract", quality: 0, tokens: 30, retries: 1 });
	});

	it("is missing data when every reply was cut off or refused", () => {
		const cut = dialogue([reply("{", { finish: "length" }), reply("", { finish: "length" })], { met: false });
		expect(outcome([contract, isA], cut)).toMatchObject({
			status: "failed",
			reason: "truncated",
			quality: null,
			retries: 1,
		});
		const refused = dialogue([reply("no", { finish: "refused" })], { met: false });
		expect(outcome([contract, isA], refused)).toMatchObject({ reason: "refused", quality: null });
	});

	it("blames the text for an empty answer, and for one in the wrong form before a cut one", () => {
		expect(outcome([isA], dialogue([reply(" ")], { met: false }))).toMatchObject({ reason: "contract", quality: 0 });
		const both = dialogue([reply("no"), reply("{", { finish: "length" })], { met: false });
		expect(outcome([contract, isA], both)).toMatchObject({ reason: "contract", quality: 0 });
	});

	it("knows nothing when the model could not be asked", () => {
		const lost = (reason: "server" | "budget") =>
			dialogue([reply("{}")], { complete: false, met: false, loss: { reason, message: "" } });
		const nothing = { status: "failed", quality: null, tokens: null, retries: null };
		expect(outcome([isA], lost("server"))).toEqual({ ...nothing, reason: "infrastructure" });
		expect(outcome([isA], lost("budget"))).toEqual({ ...nothing, reason: "budget" });
	});

	it("counts the verdicts of the judge in the order of the rubrics", () => {
		const rude = check("rubric", { criterion: "is rude", not: true });
		const checks = [kind, isA, rude];
		expect(rubricsOf(checks)).toEqual([kind, rude]);
		const judged = outcome(checks, dialogue([reply('{"a":1}')]), {
			judgement: { verdicts: [{ pass: false }, { pass: false }] },
		});
		expect(judged).toMatchObject({ status: "measured", quality: 0.8, scores: [0, 1, 1] });
	});

	it("is missing data when the judge gave no verdict that counts", () => {
		const replies = [reply('{"a":1}')];
		expect(outcome([kind, isA], dialogue(replies))).toEqual({
			status: "failed",
			reason: "judge",
			quality: null,
			tokens: 15,
			retries: 0,
		});
		expect(outcome([kind, isA], dialogue(replies), { judgement: { verdicts: [null] } })).toMatchObject({
			reason: "judge",
		});
		const uncounted = outcome([{ ...kind, weight: 0 }, isA], dialogue(replies));
		expect(uncounted).toMatchObject({ status: "measured", quality: 1, scores: [null, 1] });
	});

	it("is missing data when a check cannot be evaluated, also when that check is the contract", () => {
		const bad = check("regex", { pattern: "(?=x)", flags: "" });
		expect(outcome([bad, isA], dialogue([reply('{"a":1}')]))).toMatchObject({ reason: "check", quality: null });
		const badContract = { ...bad, contract: true };
		expect(outcome([badContract, isA], dialogue([reply('{"a":1}')], { met: false }))).toMatchObject({
			reason: "check",
			quality: null,
		});
	});

	it("takes results from elsewhere for what is neither pure nor judged", () => {
		const run = check("command", { run: "true" });
		const elsewhere = new Map([[0, { status: "scored", score: 0.5 } as const]]);
		expect(outcome([run, isA], dialogue([reply('{"a":1}')]), { elsewhere })).toMatchObject({ quality: 0.875 });
		expect(outcome([run, isA], dialogue([reply('{"a":1}')]))).toMatchObject({ reason: "check" });
	});

	it("keeps what each check found in the last usable reply", () => {
		const replies = [reply('{"b":2}'), reply("", { finish: "length" })];
		const scored = scoreTrial({
			case: { checks: [contract, isB] },
			dialogue: dialogue(replies, { met: false }),
			tools,
		});
		expect(scored.output).toBe('{"b":2}');
		expect(scored.results).toEqual([
			{ status: "scored", score: 1 },
			{ status: "scored", score: 0, evidence: "expected 1, got 2" },
		]);
	});
});
