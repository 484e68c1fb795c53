import { describe, expect, it } from "vitest";
import { z } from "zod";
import { problemsOf } from "../../src/adapters/input-problems.ts";
import { readYaml } from "../../src/adapters/yaml-document.ts";
import { caseSchema } from "../../src/domain/case.ts";
import { jobSpecSchema } from "../../src/domain/job-spec.ts";

function problems(schema: z.ZodType, text: string) {
	const read = readYaml(text, "f.yaml", { maxValues: 1000 });
	if ("problems" in read) throw new Error("no YAML");
	const parsed = schema.safeParse(read.document.value);
	return parsed.success ? [] : problemsOf(parsed.error, read.document, { schema });
}

describe("problems of a document", () => {
	it("point at an unknown key and suggest the known one", () => {
		expect(problems(jobSpecSchema, "schemaVersion: 1\nskill: a\nbugdet: {calls: 1}\n")).toEqual([
			expect.objectContaining({
				message: 'the key "bugdet" is not known here',
				place: { file: "f.yaml", line: 3, column: 1 },
				hint: 'Did you mean "budget"?',
			}),
		]);
	});

	it("know the keys of the member of a union that was chosen", () => {
		const [problem] = problems(caseSchema, "id: a\ninput: x\nchecks:\n  - {type: regex, pattern: x, flgas: i}\n");
		expect(problem).toMatchObject({ place: { line: 4 }, hint: 'Did you mean "flags"?' });
		expect(problem?.expected).toContain("pattern");
	});

	it("say what stands there, what was expected and what was probably meant", () => {
		const found = problems(caseSchema, "id: a b\nsplit: trian\ninput: 5\nchecks: []\n");
		expect(found).toEqual([
			expect.objectContaining({ message: 'id is "a b"', place: { file: "f.yaml", line: 1, column: 5 } }),
			expect.objectContaining({ message: 'split is "trian"', hint: 'Did you mean "train"?' }),
			expect.objectContaining({ message: "input is 5", expected: "text", hint: "Put it in quotes." }),
			expect.objectContaining({ message: "checks is an empty list", expected: "at least 1 item" }),
		]);
	});

	it("name an unknown type of check and the nearest", () => {
		const [problem] = problems(caseSchema, "id: a\ninput: x\nchecks:\n  - {type: contians, value: x}\n");
		expect(problem).toMatchObject({
			message: 'checks[0].type is "contians"',
			place: { line: 4, column: 12 },
			hint: 'Did you mean "contains"?',
		});
	});

	it("say which key is missing and where", () => {
		const [problem] = problems(caseSchema, "id: a\ninput: x\nchecks:\n  - {type: contains}\n");
		expect(problem).toMatchObject({
			message: 'the key "value" in checks[0] is missing',
			place: { line: 4, column: 5 },
			expected: "text",
		});
	});

	it("refuse numbers that are none", () => {
		const [problem] = problems(z.strictObject({ weight: z.number() }), "weight: .nan\n");
		expect(problem).toMatchObject({ message: "weight is NaN", expected: "a number" });
	});
});
