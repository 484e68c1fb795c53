/**
 * Reads a request for edits: the text under its section ids, what failed and what was wanted, what must stay, what was tried,
 * and the limits. Knows the layout of the prompt and nothing of any skill. Whatever the layout lacks is simply empty.
 */

/** A list item or paragraph: exactly as it stands, and on one line without its mark. */
interface Item {
	raw: string;
	text: string;
}

export interface SectionText {
	id: string;
	items: readonly Item[];
}

export interface FailedCheck {
	/** Key of the answer that the check is about; undefined when it is about the answer as a whole. */
	field?: string;
	/** Values that the check accepts. */
	values: readonly string[];
	found?: string;
	note?: string;
	input: string;
	/** What was answered, by key, where it was an object. */
	answer: Readonly<Record<string, unknown>>;
}

export interface ReflectionReading {
	/** The whole text, kernel too. */
	document: string;
	sections: readonly SectionText[];
	checks: readonly FailedCheck[];
	keep: readonly string[];
	rejected: readonly string[];
	limits: { edits: number; characters: number };
}

/** @param sectionIds the ids that an answer may name, where the request tells them */
export function readReflection(prompt: string, sectionIds: readonly string[]): ReflectionReading {
	const documentPart = between(prompt, /^# Its text$/m, /^# What to work on$/m);
	const list = (title: string) =>
		lines(between(prompt, new RegExp(`^# ${title}$`, "m"), /^# (?!.*Its text)/m)).flatMap(
			(line) => /^- (.*)$/.exec(line)?.[1] ?? [],
		);
	return {
		document: documentPart.replace(/^\[(?:section .+|kernel, read-only)\]$/gm, ""),
		sections: sectionsOf(documentPart === "" ? prompt : documentPart, sectionIds),
		checks: checksOf(prompt),
		keep: list("Proven lines"),
		rejected: list("Tried before without effect").map((line) => line.replace(/\s*\([^()]*\)$/, "")),
		limits: {
			edits: Number(/at most (\d+) edits/i.exec(prompt)?.[1] ?? 3),
			characters: Number(/at most (\d+) characters/i.exec(prompt)?.[1] ?? 600),
		},
	};
}

/** The text between the last match of a first line and the next match of another one. */
function between(text: string, start: RegExp, end: RegExp): string {
	const from = start.exec(text);
	if (from === null) return "";
	const rest = text.slice(from.index + from[0].length);
	const to = end.exec(rest);
	return to === null ? rest : rest.slice(0, to.index);
}

function lines(text: string): string[] {
	return text.split("\n");
}

function sectionsOf(text: string, sectionIds: readonly string[]): SectionText[] {
	const sections: { id: string; lines: string[] }[] = [];
	let inKernel = true;
	for (const line of lines(text)) {
		const id = /^\[section (.+)\]$/.exec(line)?.[1];
		if (id !== undefined) sections.push({ id, lines: [] });
		if (id !== undefined || line.startsWith("[kernel")) inKernel = id === undefined;
		else if (!inKernel) sections.at(-1)?.lines.push(line);
	}
	const read = sections.map((section) => ({ id: section.id, items: itemsOf(section.lines) }));
	const missing = sectionIds.filter((id) => !sections.some((section) => section.id === id));
	const known = read.filter((section) => sectionIds.length === 0 || sectionIds.includes(section.id));
	return [...known, ...missing.map((id) => ({ id, items: [] }))];
}

/** Items of a section; a line that continues one belongs to it, headings and empty lines end it. */
function itemsOf(lines: readonly string[]): Item[] {
	const items: string[][] = [];
	let open = false;
	for (const line of lines) {
		const starts = /^\s*(?:[-*+]|\d+[.)])\s/.test(line);
		if (line.trim() === "" || /^\s*#/.test(line)) open = false;
		else if (open && !starts) items.at(-1)?.push(line);
		else {
			items.push([line]);
			open = true;
		}
	}
	return items.map((item) => {
		const text = item.join(" ").replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "");
		return { raw: item.join("\n"), text: text.replace(/\s+/g, " ").trim() };
	});
}

function checksOf(prompt: string): FailedCheck[] {
	const checks: FailedCheck[] = [];
	for (const block of prompt.split(/^(?=### Failing answer )/m).slice(1)) {
		const input = quotedPart(block, "input");
		const answer = objectOf(quotedPart(block, "answer"));
		const start = block.lastIndexOf("Checks that failed:");
		if (start < 0) continue;
		for (const line of lines(block.slice(start))) {
			const wanted = /^- wanted: (.*)$/.exec(line)?.[1];
			if (wanted !== undefined) checks.push({ ...checkOf(wanted), input, answer });
		}
	}
	return checks;
}

function quotedPart(text: string, label: string): string {
	return new RegExp(`<<<${label} (\\S+)\\n([\\s\\S]*?)\\n${label} \\1>>>`).exec(text)?.[2] ?? "";
}

function objectOf(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
	} catch {
		return {};
	}
}

function checkOf(line: string): Omit<FailedCheck, "input" | "answer"> {
	const noteAt = line.indexOf(" Note: ");
	const note = noteAt < 0 ? undefined : line.slice(noteAt + 7).trim();
	const head = noteAt < 0 ? line : line.slice(0, noteAt);
	const foundAt = head.indexOf(" Found: ");
	const found =
		foundAt < 0
			? undefined
			: /["'`]?([\w][\w .-]*?)["'`]?\.?$/.exec(
					head
						.slice(foundAt + 8)
						.trim()
						.replace(/^.*\bgot /, ""),
				)?.[1];
	const wanted = foundAt < 0 ? head : head.slice(0, foundAt);
	const field = /(?:^|\s)["'`]?\/([\w-]+)/.exec(wanted)?.[1];
	const values = field === undefined ? [] : valuesOf(wanted.replace(/["'`]?\/[\w/-]+["'`]?/, " "));
	return {
		values,
		...(field === undefined ? {} : { field }),
		...(found === undefined ? {} : { found }),
		...(note === undefined ? {} : { note }),
	};
}

/** Values in quotes; without quotes the words behind the last word of comparison. */
function valuesOf(text: string): string[] {
	const marked = [...text.matchAll(/["'`]([^"'`]{1,80})["'`]/g)].flatMap((match) => match[1] ?? []);
	if (marked.length > 0) return marked;
	const tail = /(?:equals?|is|one of|be|expected|wants?|=)\s+\[?([^\]]+?)\]?\.?$/i.exec(text.trim())?.[1];
	return tail === undefined
		? []
		: tail
				.split(/,\s*(?:or )?|\s+or\s+/)
				.map((value) => value.trim())
				.filter((value) => value !== "");
}
