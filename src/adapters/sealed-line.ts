/**
 * Lines of JSON that carry their own seal, a hash of their bytes, so that a changed byte is seen. Knows no file. A line is
 * `{"seal":"<hex>",…the record's members}`: still plain JSON for every other tool.
 */
import { createHash } from "node:crypto";

const HEAD = '{"seal":"';

export interface Sealed {
	seal: string;
	record: unknown;
}

/**
 * @param before what the seal also covers: the seal of the line before makes a chain, the empty string a lone line
 * @param digits length of the seal in hex digits, 8 to 64
 * @returns the line without its line end
 */
export function sealLine(record: object, before: string, digits: number): { line: string; seal: string } {
	const body = JSON.stringify(record);
	const seal = sealOf(body, before, digits);
	return { line: `${HEAD}${seal}",${body.slice(1)}`, seal };
}

/** The record of a line, or null when the line is not exactly what was written. */
export function unsealLine(line: Buffer, before: string, digits: number): Sealed | null {
	const bodyAt = HEAD.length + digits + 2;
	const head = line.subarray(0, bodyAt).toString("latin1");
	const seal = head.slice(HEAD.length, HEAD.length + digits);
	if (head !== `${HEAD}${seal}",` || line.length <= bodyAt) return null;
	const body = Buffer.concat([OPEN, line.subarray(bodyAt)]);
	if (sealOf(body, before, digits) !== seal) return null;
	try {
		return { seal, record: JSON.parse(body.toString("utf8")) };
	} catch {
		return null;
	}
}

const OPEN = Buffer.from("{");

function sealOf(body: string | Buffer, before: string, digits: number): string {
	return createHash("sha256").update(before).update(body).digest("hex").slice(0, digits);
}
