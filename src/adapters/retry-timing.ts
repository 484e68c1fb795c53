/**
 * Reads how long an endpoint asks us to wait, in every form that endpoints use. Knows header texts and nothing of HTTP
 * clients or of whether the wait is obeyed. A text that cannot be read with certainty counts as absent, never as zero:
 * a wrong zero is a busy loop.
 */

/** The part of a header collection that is read. */
interface HeaderReader {
	get(name: string): string | null;
}

const DECIMAL = /^\d+(\.\d+)?$/;
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/;
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/**
 * Milliseconds to wait from now on, at least 0, or undefined when nothing readable was asked. `retry-after-ms` wins over
 * `Retry-After` (RFC 9110, section 10.2.3), which is a number of seconds or a date. A date is compared with the answer's own
 * `Date` where it has one, so that a wrong clock on this machine does no harm; otherwise with `now`, in epoch milliseconds.
 */
export function readRetryAfter(headers: HeaderReader, now: number): number | undefined {
	const millis = readDecimal(headers.get("retry-after-ms"));
	if (millis !== undefined) return millis;
	const text = headers.get("retry-after");
	const seconds = readDecimal(text);
	if (seconds !== undefined) return Math.min(Math.round(seconds * 1000), Number.MAX_SAFE_INTEGER);
	const until = readDate(text);
	if (until === undefined) return undefined;
	return Math.max(0, until - (readDate(headers.get("date")) ?? now));
}

function readDecimal(text: string | null): number | undefined {
	const trimmed = text?.trim() ?? "";
	if (!DECIMAL.test(trimmed)) return undefined;
	return Math.min(Number(trimmed), Number.MAX_SAFE_INTEGER);
}

/** The three date forms of HTTP, and ISO 8601. The oldest HTTP form names no zone and means GMT. */
function readDate(text: string | null): number | undefined {
	const trimmed = text?.trim() ?? "";
	if (!HTTP_DATE.test(trimmed) && !ISO_DATE.test(trimmed)) return undefined;
	const zoned = /(GMT|UTC|Z|[+-]\d\d:?\d\d)$/.test(trimmed)
		? trimmed
		: ISO_DATE.test(trimmed)
			? `${trimmed}Z`
			: `${trimmed} GMT`;
	const time = Date.parse(zoned);
	return Number.isNaN(time) ? undefined : time;
}
