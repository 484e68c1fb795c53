import { describe, expect, it } from "vitest";
import { removeUnits, unitsOf } from "../../src/engine/search/units.ts";

const TEXT = [
	"# Parcels",
	"",
	"You are told what is in a parcel",
	"and say how it is sent.",
	"",
	"- A fragile parcel: box padded.",
	"  That means paper on all sides.",
	"  - Also at the bottom.",
	"- A liquid one: box sealed.",
	"",
	"<!-- a note -->",
	"",
	"```",
	"- not an item",
	"",
	"{}",
	"```",
	"",
	"## Sending",
	"",
	"1. By van.",
	"2. By air.",
	"",
].join("\n");

const textsOf = (harness: readonly string[]) => unitsOf(harness).map((unit) => unit.text);
const without = (
	text: string,
	wanted: readonly number[],
	admits: (harness: readonly string[]) => boolean = () => true,
) =>
	removeUnits(
		[text],
		textsOf([text]).map((_, index) => index),
		wanted,
		admits,
	);

describe("the units of a text", () => {
	it("are items with what belongs to them, paragraphs and fenced blocks; headings and HTML are none", () => {
		expect(textsOf([TEXT])).toEqual([
			"You are told what is in a parcel\nand say how it is sent.",
			"- A fragile parcel: box padded.\n  That means paper on all sides.\n  - Also at the bottom.",
			"- A liquid one: box sealed.",
			"```\n- not an item\n\n{}\n```",
			"1. By van.",
			"2. By air.",
		]);
		expect(unitsOf([TEXT]).map((unit) => unit.section)).toEqual([
			...Array.from({ length: 4 }, () => "parcels"),
			...["sending", "sending"],
		]);
		expect(unitsOf([TEXT]).map((unit) => unit.kind)).toEqual(["block", "item", "item", "block", "item", "item"]);
	});

	it("have words in them, and fit into one edit", () => {
		expect(textsOf([`---\n\n***\n\n- ${"long ".repeat(500)}\n- short\n`])).toEqual(["- short"]);
	});
});

describe("taking units out", () => {
	it("leaves everything else as it is", () => {
		const { harness, removals } = without(TEXT, [1, 4]);
		expect(removals.map((removal) => removal.unit)).toEqual([1, 4]);
		expect(textsOf(harness)).toEqual(textsOf([TEXT]).filter((_, index) => index !== 1 && index !== 4));
		expect(harness[0]).toContain("# Parcels\n\nYou are told");
		expect(harness[0]).toContain("<!-- a note -->");
	});

	it("finds the one that is meant of two that say the same", () => {
		const twice = "# A\n\n- Same.\n- Other.\n- Same.\n- Last.\n";
		expect(without(twice, [2]).harness).toEqual(["# A\n\n- Same.\n- Other.\n- Last.\n"]);
		expect(without(twice, [0]).harness).toEqual(["# A\n\n- Other.\n- Same.\n- Last.\n"]);
		expect(without(twice, [0, 2]).harness).toEqual(["# A\n\n- Other.\n- Last.\n"]);
	});

	it("keeps the line ends of the text", () => {
		expect(without("# A\r\n\r\n- One.\r\n- Two.\r\n", [0]).harness).toEqual(["# A\r\n\r\n- Two.\r\n"]);
	});

	it("passes over what is not admitted, and goes on with the others", () => {
		const { harness, removals } = without(
			"- One.\n- Two.\n- Three.\n",
			[0, 1],
			([text]) => text?.includes("One") ?? false,
		);
		expect(removals.map((removal) => removal.unit)).toEqual([1]);
		expect(harness).toEqual(["- One.\n- Three.\n"]);
	});
});
