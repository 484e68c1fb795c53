/**
 * The shape of data that is pasted into a text: what its columns hold and how many of which there are. Knows tables in
 * general (commas, semicolons, tabs, bars) and nothing of what is done with them. What it finds is said in plain words, so
 * that it can be matched like any other words of the input.
 */
import { type CountFact, classOf } from "./counts.ts";
import { stemsOf } from "./lexicon.ts";

interface Shape {
	/** Words that describe the data. */
	words: readonly string[];
	facts: readonly CountFact[];
	/** The text without the body of the table. */
	prose: string;
}

interface Column {
	name: string;
	cells: readonly string[];
}

const DELIMITERS = ["\t", "|", ";", ","] as const;
const MOST_ROWS = 2_000;

/** Reads the first table of a text, if there is one, and the figures in its sentences. */
export function readShape(text: string): Shape {
	const lines = text.split(/\r?\n/);
	const table = findTable(lines);
	const prose =
		table === undefined ? text : lines.filter((_, index) => index <= table.start || index >= table.end).join("\n");
	const words = new Set(wordsOfFigures(prose));
	const facts: CountFact[] = [];
	for (const column of table?.columns ?? []) describe(column, words, facts);
	const rows = table?.columns[0]?.cells.length;
	const more = /^\s*(?:\.\.\.|…)?\s*(\d+) more/m.exec(text)?.[1];
	// Rows that each name another thing are things; rows that share names or have none are records.
	const names = table?.columns.find((column) => !column.cells.some(isNumber))?.cells;
	const things = names !== undefined && new Set(names).size === names.length;
	if (rows !== undefined)
		facts.push({ stems: ["row", "item"], sort: things ? "thing" : "record", count: rows + Number(more ?? 0) });
	const listed = listedFigures(prose);
	if (listed > 2) facts.push({ stems: ["part", "item", "categor"], sort: "thing", count: listed });
	return { words: [...words], facts, prose };
}

function findTable(lines: readonly string[]): { start: number; end: number; columns: Column[] } | undefined {
	for (const delimiter of DELIMITERS) {
		const widths = lines.slice(0, MOST_ROWS).map((line) => cellsOf(line, delimiter).length);
		for (let start = 0; start + 2 < widths.length; start++) {
			const width = widths[start] ?? 0;
			if (width < 2) continue;
			let end = start + 1;
			while (end < widths.length && widths[end] === width) end++;
			const rows = lines
				.slice(start, end)
				.map((line) => cellsOf(line, delimiter))
				.filter((cells) => !cells.every((cell) => /^:?-*:?$/.test(cell)));
			if (rows.length < 3 || !rows.slice(1).some((cells) => cells.some(isNumber))) continue;
			const [header = [], ...body] = rows;
			const columns = header.map((name, index) => ({ name, cells: body.map((cells) => cells[index] ?? "") }));
			return { start, end, columns };
		}
	}
	return undefined;
}

function cellsOf(line: string, delimiter: string): string[] {
	const bare = line.trim().replace(/^\||\|$/g, "");
	const cells = bare.match(delimiter === "," ? /("[^"]*"|[^,]*)(?:,|$)/g : /.^/g) ?? bare.split(delimiter);
	const found = cells.map((cell) => cell.replace(/,$/, "").replace(/^"|"$/g, "").trim());
	return delimiter === "," && found.at(-1) === "" && !bare.endsWith(",") ? found.slice(0, -1) : found;
}

const isNumber = (cell: string) => /^[-+]?[\d ,.]*\d\s?%?$/.test(cell);
const isDate = (cell: string) =>
	/^\d{4}[-/.]\d\d?(?:[-/.]\d\d?)?|^\d\d?[./]\d\d?[./]\d{2,4}|^q[1-4]\b|^\d{4}-w\d\d/i.test(cell);
const EMPTY = /^(?:|-|–|n\/?a|null|none|nan|\?)$/i;

function describe(column: Column, words: Set<string>, facts: CountFact[]): void {
	const filled = column.cells.filter((cell) => !EMPTY.test(cell));
	if (filled.length < column.cells.length) words.add("missing").add("blank").add("empty");
	const mostly = (test: (cell: string) => boolean) =>
		filled.length > 0 && filled.filter(test).length >= 0.8 * filled.length;
	if (mostly(isDate)) {
		words.add("date").add("time");
		facts.push({ stems: ["date", "period"], sort: "time", count: new Set(filled).size });
	} else if (mostly(isNumber)) {
		const numbers = filled.map((cell) => Number(cell.replace(/[ ,%]/g, ""))).filter((value) => Number.isFinite(value));
		describeNumbers(numbers, words);
	} else {
		const distinct = new Set(filled);
		const found = stemsOf(column.name.replace(/_/g, " "));
		facts.push({
			stems: [...found, "categor", "item", "group"],
			sort: classOf(found) === "time" ? "time" : "thing",
			count: distinct.size,
		});
		if (distinct.size < filled.length) words.add("repeated").add("group");
	}
}

function describeNumbers(numbers: readonly number[], words: Set<string>): void {
	if (numbers.some((value) => value < 0)) words.add("negative").add("loss");
	const positive = numbers.filter((value) => value > 0);
	const top = Math.max(...positive);
	if (positive.length > 2 && top / Math.min(...positive) > 1000) words.add("magnitude").add("factor").add("thousand");
}

/** What the figures of running text tell: values below zero, percentages, a span of more than three powers of ten. */
function wordsOfFigures(text: string): string[] {
	const words: string[] = [];
	if (/(?:^|[\s:(])[-−]\d/.test(text) && /(?:^|[\s:(])\+\d/.test(text)) words.push("negative", "loss", "gain");
	const percentages = [...text.matchAll(/(?<![\d.,-])(\d{1,2}(?:\.\d+)?)\s?%/g)].map((match) => Number(match[1]));
	const sum = percentages.reduce((total, value) => total + value, 0);
	if (percentages.length > 0) words.push("percent");
	if (percentages.length > 1 && Math.abs(sum - 100) <= 1) words.push("whole", "share");
	const span =
		/(\d[\d,.]*)\s*(k|million|thousand|m)?\b[^.;]{0,20}?\b(?:to|up to|and|-|–)\s+(\d[\d,.]*)\s*(k|million|thousand|billion|m)?\b/i.exec(
			text,
		);
	const amountOf = (figure = "0", unit = "") =>
		Number(figure.replace(/,(?=\d{3})/g, "").replace(/[.,]$/, "")) * scaleOf(unit);
	const series = [...text.matchAll(/(?<![\d.,])\b(\d{1,3}(?:,\d{3})+|\d+)\b(?![.,]?\d|\s?%)/g)]
		.map((match) => amountOf(match[1]))
		.filter((value) => value > 0);
	const wide = span !== null && amountOf(span[3], span[4]) > 1000 * amountOf(span[1], span[2]) && amountOf(span[1]) > 0;
	const listed = listedFigures(text) > 3 && Math.max(...series) > 1000 * Math.min(...series);
	if (wide || listed) words.push("magnitude", "factor", "thousand");
	return words;
}

function scaleOf(unit: string): number {
	return { k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, billion: 1e9 }[unit.toLowerCase()] ?? 1;
}

/** The length of the longest run of "name figure" pairs with commas or semicolons between them. */
function listedFigures(text: string): number {
	let longest = 0;
	for (const sentence of text.replace(/\.\.\.|…/g, "").split(/[.?!](?:\s|$)/)) {
		const pairs = sentence
			.split(/[,;:](?!\d)/)
			.filter((piece) =>
				/^\s*[\p{L}&][\p{L}\d &'/-]{0,40}\s[-+]?\d[\d,.]*\s?(?:%|k|[\p{L}€$/³²]{0,6})?\s*$/u.test(piece),
			);
		longest = Math.max(longest, pairs.length);
	}
	return longest;
}
