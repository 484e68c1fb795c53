/**
 * One line of JSON, read strictly: a key that stands twice is told, not swallowed. Knows JSON only. Invariant: what is
 * returned is what JSON.parse returns.
 */

type JsonLine = { value: unknown } | { problem: string /** Offset in the text. */; offset: number };

/** The value of a text, or what is wrong with it. */
export function readJsonLine(text: string): JsonLine {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		const at = / at position (\d+)/.exec(String(error))?.[1];
		const offset = at === undefined ? breakOf(text) : Number(at);
		return { problem: whatIsWrong(text, offset), offset };
	}
	const twice = findDuplicateKey(text);
	return twice === null
		? { value }
		: { problem: `the key ${twice.key} stands here a second time`, offset: twice.offset };
}

/** Where a text stops being the beginning of some JSON. The engine does not always say; a shorter piece complains as the whole does. */
function breakOf(text: string): number {
	let good = 0;
	let bad = text.length + 1;
	while (bad - good > 1) {
		const middle = (good + bad) >> 1;
		if (isBeginning(text.slice(0, middle))) good = middle;
		else bad = middle;
	}
	return good;
}

function isBeginning(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch (error) {
		return /end of JSON|Unterminated/.test(String(error));
	}
}

function whatIsWrong(text: string, offset: number): string {
	if (offset >= text.length) return "the JSON ends too early";
	return `this is no JSON from here on: ${JSON.stringify(text.slice(offset, offset + 30))}`;
}

/** The first key that its object has already, with its quotes. The text must be JSON. */
function findDuplicateKey(text: string): { key: string; offset: number } | null {
	const levels: (Set<string> | null)[] = [];
	let isKey = false;
	for (let at = 0; at < text.length; at++) {
		switch (text[at]) {
			case "{":
				levels.push(new Set());
				isKey = true;
				break;
			case "[":
				levels.push(null);
				isKey = false;
				break;
			case "}":
			case "]":
				levels.pop();
				break;
			case ",":
				isKey = levels[levels.length - 1] != null;
				break;
			case '"': {
				const end = stringEnd(text, at);
				const keys = levels[levels.length - 1];
				if (isKey && keys != null) {
					const key = text.slice(at, end);
					const name = key.includes("\\") ? (JSON.parse(key) as string) : key.slice(1, -1);
					if (keys.has(name)) return { key, offset: at };
					keys.add(name);
					isKey = false;
				}
				at = end - 1;
			}
		}
	}
	return null;
}

/** Offset behind the closing quote of the string that opens here. */
function stringEnd(text: string, start: number): number {
	for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
		if (at < 0) return text.length;
		let slashes = 0;
		while (text[at - 1 - slashes] === "\\") slashes++;
		if (slashes % 2 === 0) return at + 1;
	}
}
