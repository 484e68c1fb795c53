import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findJobSpec, readJobSpec } from "../../src/adapters/job-files.ts";
import { InputError } from "../../src/errors.ts";
import { filesFolder } from "../support/files-folder.ts";

const spec = (more: string) => `schemaVersion: 1\n${more}\n`;

async function failure(promise: Promise<unknown>): Promise<InputError> {
	const error: unknown = await promise.catch((thrown: unknown) => thrown);
	if (!(error instanceof InputError)) throw new Error(`expected an InputError, got ${String(error)}`);
	return error;
}

describe("job specs", () => {
	it("are found by the name of the file, else by the skill that a file names", async () => {
		const folder = filesFolder({
			"alpha.yaml": spec("skill: alpha"),
			"other.yaml": spec("skill: beta\nseed: 7"),
			"nightly.yaml": spec("skills: [alpha, beta, gamma]"),
			"broken.yaml": "this: [is about something else",
		});
		expect((await findJobSpec(folder, "alpha"))?.file).toBe(join(folder, "alpha.yaml"));
		expect((await findJobSpec(folder, "beta"))?.spec.seed).toBe(7);
		expect((await findJobSpec(folder, "gamma"))?.file).toBe(join(folder, "nightly.yaml"));
		expect(await findJobSpec(folder, "delta")).toBeNull();
		expect(await findJobSpec(join(folder, "none"), "alpha")).toBeNull();
	});

	it("are not guessed between two that name the skill", async () => {
		const folder = filesFolder({ "a.yaml": spec("skill: x"), "b.yaml": spec("skill: x") });
		await expect(findJobSpec(folder, "x")).rejects.toThrow("a.yaml, b.yaml");
	});

	it("of another skill are refused under this skill's name", async () => {
		const folder = filesFolder({ "alpha.yaml": spec("skill: beta") });
		expect((await failure(findJobSpec(folder, "alpha"))).problems[0]?.message).toContain("job spec of beta");
	});

	it("tell every problem with its place", async () => {
		const file = join(
			filesFolder({ "a.yaml": spec("skill: Alpha\nbudget: {calls: -1, uds: 3}\npolicy: cheap") }),
			"a.yaml",
		);
		const { problems } = await failure(readJobSpec(file));
		expect(problems.map(({ place, hint }) => [place.line, hint])).toEqual(
			expect.arrayContaining([
				[2, undefined],
				[3, undefined],
				[3, 'Did you mean "usd"?'],
				[4, undefined],
			]),
		);
	});

	it("that are missing or too large are refused unread", async () => {
		const folder = filesFolder({ "big.yaml": `# ${"x".repeat(600 * 1024)}` });
		expect((await failure(readJobSpec(join(folder, "none.yaml")))).message).toContain("no such file");
		expect((await failure(readJobSpec(join(folder, "big.yaml")))).problems[0]?.message).toContain("too large");
	});
});
