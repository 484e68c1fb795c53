import { describe, expect, it } from "vitest";
import { settingsOf } from "../../src/domain/job-spec.ts";
import { parseSkill } from "../../src/domain/skill.ts";
import { changesSince, type Opening, openRun } from "../../src/engine/open.ts";
import { PARCELS_SKILL, parcelCases, skillBytes } from "../support/parcels.ts";

const SETTINGS = settingsOf("parcels", { schemaVersion: 1 }, "m");
const OPENING: Opening = {
	run: "r",
	startedAt: "2026-01-01T00:00:00.000Z",
	settings: SETTINGS,
	offline: false,
	base: { commit: "c", path: "parcels/SKILL.md", blob: "b", ref: null },
	skill: parseSkill(skillBytes()),
	cases: parcelCases(),
};

describe("opening a run", () => {
	it("holds everything that later decisions rest on", () => {
		const opened = openRun(OPENING);
		expect(Buffer.from(opened.base.bytes, "base64").toString()).toBe(PARCELS_SKILL);
		expect(opened.incumbent).toMatchObject({ operator: "seed", parents: [], patch: [], generation: 0 });
		expect(opened.trainSample).toEqual(
			OPENING.cases.filter((entry) => entry.split === "train").map((entry) => entry.id),
		);
		expect(opened.pin.regions.map((region) => region.id)).toEqual(["output-contract"]);
	});

	it("is the same event whatever the order of the cases", () => {
		expect(openRun({ ...OPENING, cases: [...OPENING.cases].reverse() })).toEqual(openRun(OPENING));
	});
});

describe("resuming a run", () => {
	const changes = (now: Partial<Opening>) => changesSince(openRun(OPENING), { ...OPENING, ...now });
	const settings = (fields: object) => ({ settings: { ...SETTINGS, ...fields } });
	const model = { name: "other" };

	it("is possible while nothing has changed but limits and prices", () => {
		expect(changes({})).toEqual([]);
		expect(changes({ cases: [...OPENING.cases].reverse() })).toEqual([]);
		expect(changes(settings({ limits: { calls: 9000 } }))).toEqual([]);
		const price = { inputPerMTok: 1, outputPerMTok: 2 };
		const priced = { task: { ...SETTINGS.models.task, price }, judge: { ...SETTINGS.models.judge, price } };
		expect(changes(settings({ models: { ...SETTINGS.models, ...priced } }))).toEqual([]);
	});

	it.each<[string, Partial<Opening>, string]>([
		["the text of the skill", { skill: parseSkill(skillBytes(PARCELS_SKILL.replace("cheapest", "best"))) }, "text"],
		["the cases", { cases: OPENING.cases.slice(1) }, "cases"],
		["the model under test", settings({ models: { ...SETTINGS.models, task: model } }), "protocol"],
		["the judge", settings({ models: { ...SETTINGS.models, judge: model } }), "protocol"],
		["the reflection model", settings({ models: { ...SETTINGS.models, reflection: model } }), "reflection"],
		["the number of re-asks", settings({ maxRetries: 0 }), "protocol"],
		["the seed", settings({ seed: 2 }), "settings"],
		["the policy", settings({ policy: "cheapest" }), "settings"],
	])("is refused when %s changed, and says so", (_name, now, said) => {
		expect(changes(now).join("; ")).toContain(said);
	});
});
