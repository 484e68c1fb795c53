import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { covers, singleLines, tellingWords } from "../../src/engine/search/lines.ts";
import { similarity, stemsOf } from "../../src/engine/search/words.ts";
import { anAppend, begun } from "../support/builders.ts";
import { lineOf, RULES } from "../support/parcels.ts";

const { context } = begun();
const telling = (line: string) => [...tellingWords(line, context)].sort();

describe("the telling words of a line", () => {
	it("are those that stand in the train cases, their notes or what they want", () => {
		expect(telling("- Fragile goods deserve a padded box, gently.")).toEqual(["box", "fragile", "padd"]);
		expect(telling("- Ponder the matter gently.")).toEqual([]);
	});

	it("are the same for two lines that differ only in wording", () => {
		expect(telling("- Use a padded box in the case of a fragile parcel.")).toEqual(
			telling("* Fragile parcel? Then box: padded!"),
		);
	});

	it("do not come from cases that the search must not see", () => {
		const hidden = context.cases
			.filter((entry) => entry.split !== "train")
			.flatMap((entry) => [...stemsOf(entry.input ?? "")])
			.filter((word) => word.startsWith("validation") || word.startsWith("holdout"));
		expect(hidden.length).toBeGreaterThan(0);
		expect(telling(`- ${hidden.join(" ")}`)).toEqual([]);
	});
});

describe("a line that covers another", () => {
	const says = (line: string, part: string) => covers(tellingWords(line, context), tellingWords(part, context));
	const [padded = "", sealed = ""] = RULES.map(lineOf);

	it("says all that the other says, and maybe more", () => {
		expect(says(`${padded} Liquid: sealed.`, padded)).toBe(true);
		expect(says(padded, `${padded} Liquid: sealed.`)).toBe(false);
		expect(says(padded, padded)).toBe(true);
		expect(says(padded, sealed)).toBe(false);
	});

	it("covers nothing that has no telling words", () => {
		expect(says(padded, "- Ponder the matter.")).toBe(false);
		expect(covers(new Set(), new Set())).toBe(false);
	});

	it("covers what is covered by what it covers", () => {
		const anyWords = fc.subarray(["a", "b", "c", "d"]).map((words) => new Set(words));
		fc.assert(
			fc.property(anyWords, anyWords, anyWords, (one, two, three) => {
				if (covers(one, two) && covers(two, three)) expect(covers(one, three)).toBe(true);
			}),
		);
	});
});

describe("an edit as single lines", () => {
	it("is one for each line of a list, and itself otherwise", () => {
		const texts = (text: string) => singleLines(anAppend(text)).map((edit) => edit.text);
		expect(texts("- One.\n\n* Two.\n+ Three.")).toEqual(["- One.", "* Two.", "+ Three."]);
		expect(texts("- Only.")).toEqual(["- Only."]);
		expect(texts("First:\n- One.")).toEqual(["First:\n- One."]);
		const edit = { op: "replace", section: "1/packing", find: "a", text: "- One.\n- Two." } as const;
		expect(singleLines(edit)).toEqual([edit]);
	});
});

describe("the words of a text", () => {
	it("are told without common endings and without words that carry no meaning", () => {
		expect(stemsOf("Visits, visited and visiting")).toEqual(stemsOf("visit"));
		expect([...stemsOf("Always use the box where you can")]).toEqual(["box"]);
	});

	it("are alike by what they share of all that they have", () => {
		expect(similarity(stemsOf("amber birch"), stemsOf("birch cedar"))).toBeCloseTo(1 / 3);
		expect(similarity(stemsOf("amber"), stemsOf("amber"))).toBe(1);
		expect(similarity(stemsOf(""), stemsOf(""))).toBe(0);
	});
});
