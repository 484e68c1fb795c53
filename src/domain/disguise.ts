/**
 * Takes the disguise off a text: what it would look like to somebody who sees no invisible characters, reads look-alike
 * letters as what they look like, and has entities decoded. The result is only ever searched, never kept. Knows no rules of admission.
 */
import { FOREIGN_LETTER, LOOKALIKE, LOOKALIKES } from "./confusable.ts";

/**
 * Code points that leave no mark on the page or steer how it is drawn: zero width and bidi controls, tags U+E0000–E007F,
 * variation selectors, soft hyphen, fillers, line and paragraph separator, C0 (but tab and line ends), DEL and C1,
 * and what has no agreed shape: private use and noncharacters.
 */
const NO_MARK =
	"\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Co}\\p{Noncharacter_Code_Point}\\u{2800}\\u{FFFC}\\u{0}-\\u{8}\\u{B}\\u{C}\\u{E}-\\u{1F}\\u{7F}-\\u{9F}";
const INVISIBLE = new RegExp(`[${NO_MARK}]`, "gu");

const WIDE =
	"[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u3001-\\u303F\\uFF00-\\uFFEF]";

/**
 * What nobody can tell from nothing or from a plain blank: the characters that leave no mark, and blanks of odd widths. The
 * no-break spaces of French and the wide blank next to wide letters are ordinary.
 */
export const UNSEEN = new RegExp(
	`[${NO_MARK}\\u{1680}\\u{2000}-\\u{200A}\\u{205F}]|(?<!${WIDE}\\u3000{0,8})\\u3000(?!\\u3000{0,8}${WIDE})`,
	"gu",
);

/** The text without disguise; line ends stay, so that line numbers do. */
export function unmask(text: string): string {
	if (isPlain(text)) return text;
	let result = text;
	for (let pass = 0; pass < DEEPEST_ENCODING && result.includes("&"); pass++) {
		const decoded = decodeEntities(result);
		if (decoded === result) break;
		result = decoded;
	}
	return result
		.replace(INVISIBLE, "")
		.normalize("NFKD")
		.replace(/[\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, "")
		.replace(LOOKALIKE, (letter) => LOOKALIKES.get(letter) ?? letter)
		.replace(/[\p{Zs}]/gu, " ")
		.replace(/\\(?=[!-/:-@[-`{-~])/g, "");
}

/** The unmasked text without what Markdown and HTML would take out of the middle of a word: tags, comments, emphasis, code marks. */
export function bare(unmasked: string): string {
	return unmasked.replace(/<!--(?:(?!-->)[^<])*-->|<\/?[a-z][^<>]*>|[*_~`]/gi, "");
}

/** An entity can be written with an entity (`&amp;colon;`); nobody decodes deeper than this. */
const DEEPEST_ENCODING = 4;

function isPlain(text: string): boolean {
	return !/[^\t\n\r -~]|[&\\]/.test(text);
}

function decodeEntities(text: string): string {
	return text.replace(
		/&(?:#x([0-9a-f]{1,8})|#([0-9]{1,8})|([a-z][a-z0-9]{1,30}));?/gi,
		(whole, hex?: string, decimal?: string, name?: string) => {
			if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? mathLetter(name) ?? whole;
			const code = hex !== undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal ?? "", 10);
			return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "";
		},
	);
}

/** `&kfr;`, `&kopf;` and `&kscr;` are mathematical letters. */
function mathLetter(name: string): string | undefined {
	return /^([a-z])(?:fr|opf|scr)$/i.exec(name)?.[1];
}

/** Named entities that can take part in a disguise: punctuation, blanks, nothing at all, and letters that look Latin. */
const NAMED = new Map<string, string>(
	Object.entries({
		amp: "&",
		lt: "<",
		gt: ">",
		quot: '"',
		apos: "'",
		colon: ":",
		excl: "!",
		equals: "=",
		hyphen: "-",
		dash: "-",
		grave: "`",
		dollar: "$",
		lcub: "{",
		lbrace: "{",
		rcub: "}",
		rbrace: "}",
		lpar: "(",
		rpar: ")",
		sol: "/",
		bsol: "\\",
		period: ".",
		commat: "@",
		num: "#",
		lowbar: "_",
		underbar: "_",
		lsqb: "[",
		lbrack: "[",
		rsqb: "]",
		rbrack: "]",
		semi: ";",
		ratio: ":",
		tab: "\t",
		newline: "\n",
		nbsp: " ",
		nonbreakingspace: " ",
		ensp: " ",
		emsp: " ",
		thinsp: " ",
		hairsp: " ",
		shy: "",
		zwj: "",
		zwnj: "",
		lrm: "",
		rlm: "",
		nobreak: "",
		zerowidthspace: "",
		negativethinspace: "",
		negativemediumspace: "",
		negativethickspace: "",
		negativeverythinspace: "",
		applyfunction: "",
		af: "",
		invisibletimes: "",
		it: "",
		invisiblecomma: "",
		ic: "",
		kcy: "k",
		kappa: "k",
		kappav: "k",
		iecy: "e",
		ie: "e",
		ee: "e",
		exponentiale: "e",
		iukcy: "i",
		ii: "i",
		imath: "i",
		inodot: "i",
		eta: "n",
	}),
);

/** Words that mix Latin letters with letters of another script that look Latin. */
export function mixedWords(text: string): string[] {
	if (!FOREIGN_LETTER.test(text)) return [];
	return (text.match(/[\p{L}\p{M}]+/gu) ?? []).filter(
		(word) => /\p{Script=Latin}/u.test(word) && FOREIGN_LETTER.test(word),
	);
}
