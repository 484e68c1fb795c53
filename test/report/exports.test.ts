import { describe, expect, it } from "vitest";
import { reportJunit } from "../../src/report/export-junit.ts";
import { reportCsv, reportJsonl } from "../../src/report/export-table.ts";
import { HOSTILE } from "../support/hostile-texts.ts";
import { sampleView } from "../support/sample-view.ts";

/** Reads RFC 4180 by a path of its own. */
function parseCsv(text: string): string[][] {
	const rows: string[][] = [[]];
	let cell = "";
	let quoted = false;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (quoted) {
			if (character !== '"') cell += character;
			else if (text[at + 1] === '"') cell += text[++at];
			else quoted = false;
		} else if (character === '"') quoted = true;
		else if (character === ",") [cell] = ["", rows.at(-1)?.push(cell)];
		else if (character === "\r" && text[at + 1] === "\n") {
			rows.at(-1)?.push(cell);
			[cell] = ["", rows.push([])];
			at++;
		} else cell += character;
	}
	return rows.slice(0, -1);
}

const FORMULAS = [
	...["=1+1", "+1", "-2+3", "@SUM(A1)", "|calc", "%0A", "\t=1", "\r=1", "\n=1", "  =1", "'=1", '"=1', "=HYPERLINK(1)"],
	...[
		"\u200B=1",
		"\uFEFF=1",
		"\u{E0041}=1",
		"\u202E=1",
		"\uFF1D1",
		"\uFF0B1",
		"\uFF0D1",
		"\uFF20x",
		"\u22121",
		"\u00AD=1",
	],
];

const viewWith = (payload: string) => sampleView({ text: (field, usual) => (field === "edit" ? usual : payload) });

describe("the export as csv", () => {
	it.each(FORMULAS)("runs no formula: %j", (formula) => {
		const rows = parseCsv(reportCsv(viewWith(`${formula} x`)));
		const inputs = rows.slice(1).map((row) => row.at(-1) ?? "");
		expect(inputs.length).toBeGreaterThan(20);
		for (const input of inputs) expect(input.startsWith("'")).toBe(true);
	});

	it("keeps figures as figures, negative ones too", () => {
		const [head, ...rows] = parseCsv(reportCsv(sampleView()));
		const change = head?.indexOf("change") ?? -1;
		const changes = rows.map((row) => row[change] ?? "").filter((cell) => cell !== "");
		expect(changes.every((cell) => Number.isFinite(Number(cell)))).toBe(true);
		expect(changes.some((cell) => Number(cell) < 0)).toBe(true);
	});

	it.each(HOSTILE)("keeps its rows and columns with %j in every field", (payload) => {
		const plain = parseCsv(reportCsv(sampleView()));
		const rows = parseCsv(reportCsv(viewWith(payload)));
		expect(rows.length).toBe(plain.length);
		expect(new Set(rows.map((row) => row.length))).toEqual(new Set([15]));
		expect(rows.flat().join("")).not.toMatch(
			/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u{E0000}-\u{E007F}]/u,
		);
	});

	it("has one row for each cell of the matrix", () => {
		const view = sampleView();
		const cells = view.matrix.rows.flatMap((row) => row.errors.filter((errors) => errors !== null)).length;
		expect(parseCsv(reportCsv(view)).length).toBe(cells + 1);
		expect(reportJsonl(view).trimEnd().split("\n").length).toBe(cells);
	});
});

describe("the export as JSON lines", () => {
	it.each(HOSTILE)("gives %j back as it is, in lines that a terminal does not obey", (payload) => {
		const text = reportJsonl(viewWith(payload));
		expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2028\u2029]/);
		const rows = text
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as { input: string });
		expect(rows[0]?.input).toBe(payload);
	});
});

describe("the export as junit", () => {
	it("fails the cases on which the text is worse, and no others", () => {
		const view = sampleView();
		const xml = reportJunit(view);
		const worse = view.cases.filter((entry) => entry.after !== null && (entry.change ?? 0) < -1e-9);
		expect(worse.length).toBeGreaterThan(0);
		expect(xml.match(/<failure /g)).toHaveLength(worse.length);
		expect(xml).toContain(`tests="${view.cases.length}" failures="${worse.length}" errors="0"`);
	});

	it("counts what has no quality as an error", () => {
		const view = sampleView({ failEvery: 5 });
		const lost = view.cases.filter((entry) => entry.after !== null && entry.after.quality === null).length;
		expect(lost).toBeGreaterThan(0);
		expect(reportJunit(view).match(/<error /g)).toHaveLength(lost);
	});

	it.each(HOSTILE)("stays XML of the same tags with %j in every field", (payload) => {
		const tags = (xml: string) => [...xml.matchAll(/<[/?]?[\w]+/g)].map(([tag]) => tag);
		const xml = reportJunit({ ...viewWith(payload), skill: payload, run: payload });
		expect(tags(xml)).toEqual(tags(reportJunit(viewWith("harmless"))));
		expect(xml).not.toMatch(/&(?!amp;|lt;|gt;|quot;|apos;)/);
		expect(xml).not.toMatch(/[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF\uD800]/);
	});
});
