/**
 * Takes a key out of text that came from the endpoint it was sent to. Pure; knows the forms in which a key comes back (as it is,
 * URL-encoded, in base64 at any place of a longer text) and not where the text goes. Invariant: text without the key is
 * unchanged.
 */
import { Buffer } from "node:buffer";

const BLANK = "[key]";
/** A reply goes back into the run, so a stand-in key such as `lm-studio`, which may well be a word of it, is left alone. */
const SHORTEST_IN_REPLY = 10;
const SHORTEST_IN_MESSAGE = 6;
/** A piece of a key this long gives something away, and stands in no other text by chance. */
const SHORTEST_PIECE = 8;

export interface KeyText {
	/** A model's reply without the whole key in any form. */
	reply(text: string): string;
	/** Text for people, without the whole key and without longer pieces of it. */
	message(text: string): string;
}

export function createKeyText(key: string): KeyText {
	const inBase64 = base64Forms(key).filter((form) => form.length >= SHORTEST_PIECE);
	const spelled = spellings(key);
	const whole = (text: string): string =>
		inBase64.reduce((clean, form) => clean.replaceAll(form, BLANK), text.replace(spelled, BLANK));
	const pieces = createPieces([key, encodeURIComponent(key), ...inBase64]);
	return {
		reply: (text) => (key.length < SHORTEST_IN_REPLY ? text : whole(text)),
		message: (text) => (key.length < SHORTEST_IN_MESSAGE ? text : pieces(whole(text))),
	};
}

/** Each character as it is, percent-encoded, or behind the backslash of an escape. */
function spellings(key: string): RegExp {
	const characters = [...key].map((character) => {
		const code = (character.codePointAt(0) ?? 0).toString(16).padStart(2, "0");
		const hex = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join("");
		const literal = /\w/.test(character) ? character : `\\\\?\\u{${code}}`;
		return `(?:${literal}|%${hex}|\\\\u00${hex})`;
	});
	return new RegExp(characters.join(""), "gu");
}

/** The characters of base64 that depend on the key alone, wherever in a longer text it begins: three forms in two alphabets. */
function base64Forms(key: string): string[] {
	const forms = [0, 1, 2].map((before) => {
		const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]);
		const first = Math.ceil((before * 8) / 6);
		return bytes.toString("base64").slice(first, Math.floor((bytes.length * 8) / 6));
	});
	return [...new Set([...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))])];
}

/** Blanks every stretch of text that is a stretch of one of the forms too. */
function createPieces(forms: readonly string[]): (text: string) => string {
	return (text) => {
		let clean = "";
		for (let at = 0; at < text.length; ) {
			const length = Math.max(...forms.map((form) => sharedLength(text, at, form)));
			clean += length < SHORTEST_PIECE ? text[at] : BLANK;
			at += length < SHORTEST_PIECE ? 1 : length;
		}
		return clean;
	};
}

/** How far the text goes on from here as some stretch of the form does; 0 when that is less than what counts. */
function sharedLength(text: string, at: number, form: string): number {
	let longest = 0;
	const start = text.slice(at, at + SHORTEST_PIECE);
	if (start.length < SHORTEST_PIECE) return 0;
	for (let from = form.indexOf(start); from >= 0; from = form.indexOf(start, from + 1)) {
		let length = SHORTEST_PIECE;
		while (from + length < form.length && text[at + length] === form[from + length]) length++;
		longest = Math.max(longest, length);
	}
	return longest;
}
