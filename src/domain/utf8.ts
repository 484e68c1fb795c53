/**
 * Bytes to text without loss. A text that this module returns encodes to exactly the bytes that it came from; bytes for
 * which that cannot be promised are refused with their place. Knows nothing of skills.
 */

export interface Undecodable {
	message: string;
	expected: string;
	/** From 1. */
	line: number;
	/** Bytes before the offence. */
	offset: number;
}

/** UTF-8 to text; a byte order mark stays in the text as U+FEFF. */
export function decodeUtf8(bytes: Uint8Array): { text: string } | { problem: Undecodable } {
	const expected = "UTF-8 text";
	if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
		return { problem: { message: "the file is UTF-16, not UTF-8", expected, line: 1, offset: 0 } };
	}
	const nul = bytes.indexOf(0);
	if (nul >= 0) {
		const message = `a NUL byte at offset ${nul}: the file is binary or UTF-16`;
		return { problem: { message, expected, line: lineAt(bytes, nul), offset: nul } };
	}
	try {
		return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
	} catch {
		const offset = firstInvalid(bytes);
		const byte = bytes[offset]?.toString(16).padStart(2, "0") ?? "";
		const message = `bytes that are no UTF-8, from offset ${offset} (0x${byte})`;
		return { problem: { message, expected, line: lineAt(bytes, offset), offset } };
	}
}

/** Number of the line, from 1, that the byte at an offset lies in. */
function lineAt(bytes: Uint8Array, offset: number): number {
	let line = 1;
	for (let at = 0; at < offset; at++) if (bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10)) line++;
	return line;
}

/** Offset of the first sequence that the table 3-7 of the Unicode standard does not allow. */
function firstInvalid(bytes: Uint8Array): number {
	let at = 0;
	while (at < bytes.length) {
		const length = sequenceLength(bytes, at);
		if (length === 0) return at;
		at += length;
	}
	return bytes.length;
}

function sequenceLength(bytes: Uint8Array, at: number): number {
	const lead = bytes[at]!;
	if (lead < 0x80) return 1;
	const length =
		lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
	const second = bytes[at + 1] ?? 0;
	const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
	const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
	if (length === 0 || second < low || second > high) return 0;
	for (let index = 2; index < length; index++) {
		const next = bytes[at + index] ?? 0;
		if (next < 0x80 || next > 0xbf) return 0;
	}
	return length;
}
