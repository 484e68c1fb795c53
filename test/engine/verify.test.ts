import { describe, expect, it } from "vitest";
import { pinOf } from "../../src/domain/kernel.ts";
import { parseSkill } from "../../src/domain/skill.ts";
import { verifyEvolution } from "../../src/engine/verify.ts";
import type { EvolvedCommit } from "../../src/ports/skills-repository.ts";

const KERNEL = "<!-- kernel:begin id=rules -->\nNever lie.\n<!-- kernel:end id=rules -->\n";
const BEFORE = `---\nname: demo\n---\n# Demo\n\nv0\n${KERNEL}`;
const bytes = (text: string) => new TextEncoder().encode(text);

function commit(after: string | null, overrides: Partial<EvolvedCommit> = {}): EvolvedCommit {
	return {
		commit: "c".repeat(40),
		parent: "p".repeat(40),
		run: "run-1",
		trailers: { "Gepa-Run": "run-1" },
		before: bytes(BEFORE),
		after: after === null ? null : bytes(after),
		paths: ["skills/demo/SKILL.md"],
		...overrides,
	};
}

describe("verifying what runs committed", () => {
	it("finds a commit intact that changed the harness alone", () => {
		const { ok, results } = verifyEvolution([commit(BEFORE.replace("v0", "v1"))]);
		expect(ok).toBe(true);
		expect(results).toMatchObject([{ verdict: "intact", reasons: [], kernels: 1 }]);
	});

	it.each([
		["a changed kernel", BEFORE.replace("Never", "Always"), "rules changed"],
		["a removed kernel", BEFORE.replace(KERNEL, ""), "0 kernel regions instead of 1"],
		["a second kernel", BEFORE + KERNEL.replaceAll("rules", "more"), "2 kernel regions"],
		["a changed frontmatter", BEFORE.replace("name: demo", "name: evil"), "frontmatter changed"],
		["a broken marker", BEFORE.replace("kernel:end", "kernel:edn"), "cannot be used"],
	])("finds %s", (_, after, reason) => {
		const { ok, results } = verifyEvolution([commit(after)]);
		expect(ok).toBe(false);
		expect(results[0]).toMatchObject({ verdict: "broken" });
		expect(results[0]?.reasons.join()).toContain(reason);
	});

	it("finds other paths in the commit, a removed file and a created one", () => {
		const after = BEFORE.replace("v0", "v1");
		const reasons = verifyEvolution([
			commit(after, { paths: ["skills/demo/SKILL.md", "hooks/x"] }),
			commit(null),
			commit(after, { before: null }),
		]).results.map((result) => [result.verdict, result.reasons.join()]);
		expect(reasons).toEqual([
			["broken", expect.stringContaining("1 other path")],
			["broken", "it removed the file"],
			["broken", expect.stringContaining("created the file")],
		]);
	});

	it("believes a trailer only when it names the parent's kernel", () => {
		const after = BEFORE.replace("v0", "v1");
		const { kernelSha256 } = pinOf(parseSkill(bytes(BEFORE)));
		const withTrailer = (value: string) =>
			verifyEvolution([commit(after, { trailers: { "Gepa-Kernel-SHA256": value } })]).ok;
		expect(withTrailer(kernelSha256)).toBe(true);
		expect(withTrailer("0".repeat(64))).toBe(false);
	});

	it("does not call proven what the clone does not hold", () => {
		const { ok, results } = verifyEvolution([commit(BEFORE, { parent: null, before: null })]);
		expect(ok).toBe(false);
		expect(results[0]?.verdict).toBe("unknown");
	});
});
