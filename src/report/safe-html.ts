/**
 * HTML that escapes by default: `html` is the only way to make a {@link SafeHtml}, and whatever is put into it that is none is
 * shown as text, with invisible characters written out.
 *
 * It must not know the page. Invariant: no string that came in as a value can open a tag, end an attribute or hide; values in
 * attributes must stand in double quotes, which the literal parts of a template decide alone.
 */
import { visible } from "./visible-text.ts";

declare const brand: unique symbol;

/** Markup that was made by {@link html} and by nothing else. */
export interface SafeHtml {
	readonly [brand]: true;
	readonly markup: string;
}

export type Child = SafeHtml | string | number | null | false | readonly Child[];

/** What was made here; a look-alike from elsewhere (parsed JSON, say) is not in it. */
const made = new WeakSet<object>();

function seal(markup: string): SafeHtml {
	const value = Object.freeze({ markup }) as unknown as SafeHtml;
	made.add(value);
	return value;
}

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
	"`": "&#96;",
};

function escapeHtml(text: string): string {
	return visible(text).replace(/[&<>"'`]/g, (mark) => ENTITIES[mark] ?? "");
}

function render(child: Child): string {
	if (child === null || child === false) return "";
	if (typeof child === "string") return escapeHtml(child);
	if (typeof child === "number") return escapeHtml(String(child));
	if (Array.isArray(child)) return child.map(render).join("");
	const safe = child as SafeHtml;
	if (!made.has(safe)) throw new TypeError("only markup made by the html template goes into a page");
	return safe.markup;
}

/** The template: literal parts are markup, values are text unless they are SafeHtml; null and false show nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Child[]): SafeHtml {
	return seal(
		parts.reduce((page, part, index) => page + part + (index < values.length ? render(values[index] ?? null) : ""), ""),
	);
}

/** A style element around a constant of ours. @throws TypeError for text that could end the element. */
export function rawStyle(css: string): SafeHtml {
	if (css.includes("<")) throw new TypeError("a style sheet holds no markup");
	return seal(`<style>${css}</style>`);
}

/** A script element around a constant of ours. @throws TypeError for text that could end the element. */
export function rawScript(code: string): SafeHtml {
	if (/<[/!]/.test(code)) throw new TypeError("a script holds no markup");
	return seal(`<script>${code}</script>`);
}

/**
 * Data for the script of the page, as an element that no browser runs. Its strings are made visible first, because the script
 * puts them into the page as they are.
 */
export function dataBlock(id: string, value: unknown): SafeHtml {
	const json = JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? visible(member) : member));
	const inert = json.replace(/[<>&\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
	return seal(`<script type="application/json" id="${escapeHtml(id)}">${inert}</script>`);
}
