/**
 * The one place that reads JSON tolerantly: replies of the judge and of the reflection model, from endpoints that cannot do
 * structured output. The output of a skill is never read here: its contract is strict.
 */

/** The JSON value of a reply: bare, in a fence, or the first complete object in prose; undefined when there is none. */
export function looseJson(text: string): unknown {
	for (const part of [text, ...fenced(text), ...objects(text)]) {
		try {
			const value: unknown = JSON.parse(part);
			if (typeof value === "object" && value !== null) return value;
		} catch {
			// Not this part: the next one may be whole.
		}
	}
	return undefined;
}

function fenced(text: string): string[] {
	return [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap((match) => match[1] ?? []);
}

/** Balanced `{…}` runs, strings respected. Gives up on text of which nothing can be made in linear time. */
function objects(text: string): string[] {
	const found: string[] = [];
	let depth = 0;
	let start = -1;
	let quoted = false;
	for (let at = 0; at < text.length; at++) {
		const char = text[at];
		if (quoted) {
			if (char === "\\") at += 1;
			else if (char === '"') quoted = false;
		} else if (depth > 0 && char === '"') quoted = true;
		else if (char === "{") {
			if (depth === 0) start = at;
			depth += 1;
		} else if (char === "}" && depth > 0) {
			depth -= 1;
			if (depth === 0) found.push(text.slice(start, at + 1));
		}
	}
	return found.slice(0, 5);
}
