import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, jobSpecSchema, searchSchema, settingsOf, settingsSchema } from "../../src/domain/job-spec.ts";

const spec = (fields: object) => jobSpecSchema.parse({ schemaVersion: 1, ...fields });
const refused = (fields: object) => !jobSpecSchema.safeParse({ schemaVersion: 1, ...fields }).success;

describe("a job spec", () => {
	it("may leave out everything but its version", () => {
		expect(settingsOf("dataviz", spec({}), "some-model")).toEqual({
			skill: "dataviz",
			models: { task: { name: "some-model" }, reflection: { name: "some-model" }, judge: { name: "some-model" } },
			limits: DEFAULT_LIMITS,
			repeats: 1,
			maxRetries: 2,
			policy: "quality-first",
			margin: { quality: 0.02, costs: 0.1 },
			holdout: "required",
			kernel: "required",
			promote: "current",
			seed: 1,
			search: searchSchema.parse({}),
		});
	});

	it("keeps what it says, and a budget of its own replaces the default one", () => {
		const settings = settingsOf(
			"a",
			spec({ budget: { calls: 20 }, policy: "cheapest", seed: 9, search: { stall: 5 } }),
			"m",
		);
		expect(settings).toMatchObject({ limits: { calls: 20 }, policy: "cheapest", seed: 9 });
		expect(settings.limits).toEqual({ calls: 20 });
		expect(settings.search).toEqual({ ...searchSchema.parse({}), stall: 5 });
	});

	it("lets reflection and judge use the model under test where it names no other", () => {
		const task = { name: "t", temperature: 0, price: { inputPerMTok: 1, outputPerMTok: 2 } };
		const settings = settingsOf("a", spec({ models: { task, reflection: { name: "r" } } }), "m");
		expect(settings.models).toEqual({ task, reflection: { name: "r" }, judge: task });
	});

	it("gives settings that survive being written and read", () => {
		const settings = settingsOf("a", spec({ budget: { usd: 0.5 } }), "m");
		expect(settingsSchema.parse(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
	});

	it.each<[string, object]>([
		["names a skill and a list of skills", { skill: "a", skills: ["b"] }],
		["has an empty list of skills", { skills: [] }],
		["names a skill that is no folder name", { skill: "../a" }],
		["names a skill that git would take for an option", { skill: "--upload-pack=x" }],
		["has a field that nobody knows", { concurency: 3 }],
		["has a model without a name", { models: { task: { name: "" } } }],
		["has a budget of nothing", { budget: { calls: 0 } }],
		["has a negative price", { models: { task: { name: "m", price: { inputPerMTok: -1, outputPerMTok: 1 } } } }],
		["has a policy that nobody knows", { policy: "fastest" }],
		["has a margin beyond sense", { margin: { quality: 0.9 } }],
		["has a seed that is no whole number", { seed: 1.5 }],
		["has a chance beyond 1", { search: { openChance: 1.1 } }],
		["has a chance below 0", { search: { openChance: -0.1 } }],
		["sets what no search knows", { search: { openShare: 0.3 } }],
		["has a jitter that is no duration", { schedule: { cron: "0 2 * * *", timeZone: "UTC", jitter: "soon" } }],
		["has another version", { schemaVersion: 2 }],
	])("is refused when it %s", (_name, fields) => {
		expect(refused(fields)).toBe(true);
	});

	it("may hold a schedule", () => {
		expect(spec({ skills: ["a"], schedule: { cron: "15 2 * * *", timeZone: "Europe/Paris" } }).schedule).toEqual({
			cron: "15 2 * * *",
			timeZone: "Europe/Paris",
			overlap: "skip",
			catchUp: "one",
		});
	});
});
