import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSkill } from "../../src/domain/skill.ts";
import { createVariant, mergeBySection, variantId } from "../../src/domain/variant.ts";
import { bytesOf } from "../support/skill-corpus.ts";

const BASE = ["# A\n- a\n\n# B\n- b\n\n# C\n- c\n"];
const with_ = (from: string, to: string) => [BASE[0]!.replace(from, to)];
const merge = (a: readonly string[], b: readonly string[]) => mergeBySection(BASE, a, b);

describe("identity", () => {
	it("is the content of the harness, segment by segment", () => {
		expect(variantId(["a", "b"])).toMatch(/^[0-9a-f]{12}$/);
		expect(variantId(["a", "b"])).toBe(variantId(["a", "b"]));
		expect(new Set([["a", "b"], ["ab"], ["ab", ""], ["", "ab"], ["a", "b "]].map(variantId)).size).toBe(5);
	});

	it("is that of the text as the file would hold it", () => {
		const skill = parseSkill(bytesOf("A\n<!-- kernel:begin id=k -->\n<!-- kernel:end id=k -->\nB"));
		expect(createVariant(skill, ["A", "B"], [], "incumbent")).toEqual({
			id: variantId(["A\n", "B"]),
			harness: ["A\n", "B"],
			parents: [],
			operator: "incumbent",
		});
	});
});

describe("merging by section", () => {
	it("takes what one side changed", () => {
		expect(merge(with_("- a", "- x"), with_("- c", "- z"))).toEqual({
			harness: ["# A\n- x\n\n# B\n- b\n\n# C\n- z\n"],
			conflicts: [],
		});
	});

	it("takes once what both changed alike", () => {
		expect(merge(with_("- a", "- x"), with_("- a", "- x"))).toEqual({ harness: with_("- a", "- x"), conflicts: [] });
	});

	it("unites lines that both only appended", () => {
		const { harness, conflicts } = merge(with_("- b", "- b\n- x\n- y"), with_("- b", "- b\n- y\n- z"));
		expect(harness).toEqual(with_("- b", "- b\n- x\n- y\n- z"));
		expect(conflicts).toEqual([]);
	});

	it("lists a section that both changed differently, and keeps the first", () => {
		const { harness, conflicts } = merge(with_("- b", "- x"), with_("- b", "- y"));
		expect(harness).toEqual(with_("- b", "- x"));
		expect(conflicts).toEqual([{ section: "b", base: "# B\n- b\n\n", a: "# B\n- x\n\n", b: "# B\n- y\n\n" }]);
	});

	it("takes a new section of either side at its place", () => {
		const { harness } = merge(with_("# B", "# N\n- n\n\n# B"), [`${BASE[0]}\n# Z\n- z\n`]);
		expect(harness).toEqual(["# A\n- a\n\n# N\n- n\n\n# B\n- b\n\n# C\n- c\n\n# Z\n- z\n"]);
	});

	it("takes a removed section that the other side left alone, and lists one that it changed", () => {
		const without = with_("# B\n- b\n\n", "");
		expect(merge(without, with_("- a", "- x")).harness).toEqual(["# A\n- x\n\n# C\n- c\n"]);
		expect(merge(without, with_("- b", "- y"))).toMatchObject({ conflicts: [{ section: "b", a: null }] });
	});

	it("keeps the number of segments and refuses to mix them", () => {
		expect(mergeBySection(["", "# A\n", ""], ["", "# A\n", ""], ["", "# A\n- x\n", ""]).harness).toEqual([
			"",
			"# A\n- x\n",
			"",
		]);
		expect(() => mergeBySection(["a"], ["a", "b"], ["a"])).toThrow(RangeError);
	});

	it("with the base gives the other side, on whatever text", () => {
		const text = fc.array(fc.constantFrom("# A", "# B", "\n", "- a", "text", "\n\n"), { maxLength: 12 });
		fc.assert(
			fc.property(text, text, (one, two) => {
				const base = [one.join("")];
				const other = [two.join("")];
				expect(mergeBySection(other, other, other).harness).toEqual(other);
				expect(mergeBySection(base, other, other).harness).toEqual(other);
				expect(mergeBySection(base, other, base).harness).toEqual(other);
			}),
			{ numRuns: 500 },
		);
	});
});
