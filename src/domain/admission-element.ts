/**
 * The part of admission that looks at HTML elements: what would hide, fold away or restyle a kernel that follows, closing
 * tags of what was never opened, and attributes. Must not look at Markdown blocks. An angle word such as `<name>` in running
 * text is no element to anybody: a browser drops it, and the paragraph ends it.
 */
import type { AdmissionCode } from "./admission-refusal.ts";
import { type Tag, tagsOf } from "./tag.ts";

/** Something that is refused when it is new. */
export interface ElementFault {
	code: AdmissionCode;
	message: string;
	line: number;
	/** Equal for what compares as equal. */
	token: string;
}

/** Elements that need no closing tag. */
const VOID = setOf(
	"area base basefont bgsound br col command embed frame hr image img input keygen link meta param source track wbr",
);

/**
 * Elements of HTML, of today and before. Not among them are those that are common angle words and that a browser neither
 * draws nor keeps open beyond their paragraph: data, label, output, slot, time.
 */
const KNOWN = setOf(`
	a abbr acronym address applet article aside audio b bdi bdo big blink blockquote body button canvas caption center cite
	code colgroup datalist dd del details dfn dialog dir div dl dt em fencedframe fieldset figcaption figure font footer form
	frameset h1 h2 h3 h4 h5 h6 head header hgroup html i iframe ins isindex kbd legend li listing main map mark marquee math
	menu menuitem meter multicol nav nobr noembed noframes noscript object ol optgroup option p picture plaintext portal pre
	progress q rb rp rt rtc ruby s samp script search section select selectedcontent small spacer span strike strong style
	sub summary sup svg table tbody td template textarea tfoot th thead title tr tt u ul var video xmp
`);

/** Elements that end a paragraph in which they stand, and with it what it would have closed. */
const ENDS_PARAGRAPH = setOf(`
	address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4
	h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp
`);

/** Elements in which tags are no tags, so that a closing tag inside them closes nothing; and those that load or run something. */
const OPAQUE = setOf(`
	applet audio base bgsound body button embed fencedframe form frame frameset head html iframe input isindex keygen link
	listing marquee math meta noembed noframes noscript object plaintext portal script select style svg template textarea
	title video xmp
`);

/** Attributes that neither load, run, hide nor restyle anything. */
const PLAIN_ATTRIBUTES = setOf("align alt colspan datetime lang open reversed rowspan scope span start title valign");
/** Attributes that act on any element without a value; all other words behind a name that is no element are words. */
const ACTING_WORDS = setOf("hidden inert popover style autofocus contenteditable");

/** Everything in a text that is refused when it is new. `followed` says that a kernel stands below it. */
export function elementFaults(text: string, followed: boolean): ElementFault[] {
	const tags = tagsOf(text);
	if (tags.length === 0) return [];
	const { open, stray } = match(tags);
	const ending = new Set(tags.filter(({ name }) => ENDS_PARAGRAPH.has(name)).map(({ chunk }) => chunk));
	return [
		...(followed ? open.filter((tag) => holds(tag, ending)).map(openFault) : []),
		...stray.map(strayFault),
		...tags.filter(({ closing }) => !closing).flatMap((tag) => [...opaqueFaults(tag), ...attributeFaults(tag)]),
	];
}

/** The faults of a text that are in none of the texts before as often. */
export function newFaults(faults: readonly ElementFault[], before: readonly ElementFault[][]): ElementFault[] {
	const left = new Map<string, number>();
	for (const list of before) {
		const count = new Map<string, number>();
		for (const { token } of list) count.set(token, (count.get(token) ?? 0) + 1);
		for (const [token, times] of count) left.set(token, Math.max(times, left.get(token) ?? 0));
	}
	return faults.filter(({ token }) => {
		const more = (left.get(token) ?? 0) - 1;
		left.set(token, more);
		return more < 0;
	});
}

/** Pairs closing tags with the nearest opening one of their name; what stands between them unclosed stays open. */
function match(tags: readonly Tag[]): { open: Tag[]; stray: Tag[] } {
	const stack: Tag[] = [];
	const open: Tag[] = [];
	const stray: Tag[] = [];
	const opened = new Set(tags.filter(({ closing }) => !closing).map(({ name }) => name));
	for (const tag of tags) {
		if (!tag.closing) {
			if (!tag.finished || !VOID.has(tag.name)) stack.push(tag);
			continue;
		}
		const found = !opened.has(tag.name)
			? -1
			: stack.findLastIndex(({ name, finished }) => finished && name === tag.name);
		if (found < 0) stray.push(tag);
		else if (closes(tag, stack[found]!)) open.push(...stack.splice(found).slice(1));
	}
	return { open: [...open, ...stack], stray };
}

function closes(closing: Tag, opening: Tag): boolean {
	if (closing.closes !== "same-line") return closing.closes === "any";
	return closing.line === opening.line && closing.links === opening.links;
}

/** Whether an unclosed tag holds what follows. `ending` are the paragraphs that an element ends before they do. */
function holds({ block, alone, chunk, name, finished }: Tag, ending: ReadonlySet<number>): boolean {
	return block || alone || !finished || KNOWN.has(name) || ending.has(chunk);
}

function openFault({ name, line, finished }: Tag): ElementFault {
	const what = finished ? `<${name.slice(0, 40)}>` : `the tag <${name.slice(0, 40)}`;
	return { code: "open-element", message: `it leaves ${what} open in front of a kernel`, line, token: `open ${name}` };
}

function strayFault({ name, line }: Tag): ElementFault {
	const message = `it closes <${name.slice(0, 40)}>, which it never opened`;
	return { code: "open-element", message, line, token: `stray ${name}` };
}

function opaqueFaults({ name, line }: Tag): ElementFault[] {
	if (!OPAQUE.has(name)) return [];
	return [{ code: "active-html", message: `it adds the element <${name}>`, line, token: `element ${name}` }];
}

function attributeFaults({ name, attributes, line }: Tag): ElementFault[] {
	const isElement = KNOWN.has(name) || VOID.has(name);
	const acts = attributes.some((one) => one.value !== null || ACTING_WORDS.has(one.name) || one.name === "");
	if (!isElement && !acts) return [];
	return attributes
		.filter((one) => !PLAIN_ATTRIBUTES.has(one.name))
		.map((one) => ({
			code: "active-html",
			message: `it adds the attribute ${one.name.slice(0, 40) || "(of a very long tag)"} to <${name.slice(0, 40)}>`,
			line,
			token: `attribute ${name} ${one.name}=${one.value ?? ""}`,
		}));
}

function setOf(words: string): ReadonlySet<string> {
	return new Set(words.trim().split(/\s+/));
}
