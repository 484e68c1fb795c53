import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { reportJsonSchema } from "../../src/domain/report-schema.ts";
import { reportJson } from "../../src/report/json.ts";
import { closed, type SampleOptions } from "../support/sample-run.ts";
import { sampleView } from "../support/sample-view.ts";

const RUNS: Record<string, SampleOptions> = {
	promoted: {},
	undecided: { validation: "undecided", ending: [closed("undecided", "converged", "not proved")] },
	stopped: { searchOnly: true, usd: null, ending: [closed("stopped", "calls", "no room")] },
	open: { searchOnly: true, ending: [] },
	"without an endpoint": { failEvery: 1, ending: [closed("undecided", "converged", "no pairs")] },
};

describe("the JSON Schema of report.json", () => {
	it("is the published one", async () => {
		const text = `${JSON.stringify(reportJsonSchema(), null, "\t")}\n`;
		await expect(text).toMatchFileSnapshot("../../docs/report.schema.json");
	});

	// Closed, so that a field that is in the report and not in the schema is found.
	const validate = new Ajv({ strict: false, allErrors: true }).compile(reportJsonSchema(false));

	it.each(Object.entries(RUNS))("describes the report of a run that is %s, field by field", (_, options) => {
		expect(validate(JSON.parse(reportJson(sampleView(options)))) || validate.errors).toBe(true);
	});

	it("lets readers meet fields of a later version", () => {
		const later = { ...JSON.parse(reportJson(sampleView())), addedLater: 1 };
		const open = new Ajv({ strict: false }).compile(reportJsonSchema());
		expect(open(later)).toBe(true);
		expect(open({ ...later, schemaVersion: 2 })).toBe(false);
	});
});
