import { describe, expect, it } from "vitest";
import { answerJudge } from "../../src/adapters/offline/judge-role.ts";
import { readVerdicts, renderJudge } from "../../src/prompts/judge.ts";

function verdicts(output: string, criteria: string[]): (boolean | undefined)[] {
	const messages = renderJudge({ input: "Where is my parcel?", output, criteria, nonce: "7f" });
	return readVerdicts(JSON.parse(answerJudge(messages)), criteria.length).map((verdict) => verdict?.pass);
}

describe("the offline judge", () => {
	it("passes what the answer speaks of and fails what it does not", () => {
		const answer = "Your parcel left the warehouse on Monday and arrives tomorrow.";
		expect(verdicts(answer, ["Says when the parcel arrives.", "Offers a voucher for the inconvenience."])).toEqual([
			true,
			false,
		]);
	});

	it("turns a verdict round where a criterion denies", () => {
		const criterion = "Does not promise a refund.";
		expect(verdicts("We promise you a full refund.", [criterion])).toEqual([false]);
		expect(verdicts("Your parcel arrives tomorrow.", [criterion])).toEqual([true]);
	});

	it("measures length where a criterion asks for it", () => {
		expect(verdicts("One. Two. Three.", ["At most two sentences.", "At most 5 words."])).toEqual([false, true]);
	});

	it("judges the strings of an answer in JSON, not its keys", () => {
		expect(verdicts('{"refund": "no", "reason": "The parcel arrives tomorrow."}', ["Speaks of a refund."])).toEqual([
			false,
		]);
	});

	it("gives one verdict a criterion with words of the answer as evidence, and the same each time", () => {
		const messages = renderJudge({
			input: "x",
			output: "The parcel arrives.",
			criteria: ["Names the parcel.", "Is polite."],
			nonce: "a",
		});
		const parsed = readVerdicts(JSON.parse(answerJudge(messages)), 2);
		expect(parsed[0]?.evidence).toBe("The parcel arrives.");
		expect(answerJudge(messages)).toBe(answerJudge(messages));
	});
});
