import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRetryAfter } from "../../src/adapters/retry-timing.ts";

const NOW = Date.parse("2026-09-30T12:00:00Z");

const read = (headers: Record<string, string>) => readRetryAfter({ get: (name) => headers[name] ?? null }, NOW);

describe("the wait that an endpoint asks for", () => {
	it.each([
		["seconds", { "retry-after": "7" }, 7_000],
		["a fraction of seconds", { "retry-after": "0.25" }, 250],
		["seconds in spaces", { "retry-after": " 3 " }, 3_000],
		["zero", { "retry-after": "0" }, 0],
		["an hour", { "retry-after": "3600" }, 3_600_000],
		["milliseconds", { "retry-after-ms": "120" }, 120],
		["milliseconds before seconds", { "retry-after-ms": "120", "retry-after": "9" }, 120],
		["seconds where the milliseconds are garbage", { "retry-after-ms": "soon", "retry-after": "9" }, 9_000],
		["an HTTP date", { "retry-after": "Wed, 30 Sep 2026 12:00:30 GMT" }, 30_000],
		["an RFC 850 date", { "retry-after": "Wednesday, 30-Sep-26 12:00:30 GMT" }, 30_000],
		["an asctime date, which means GMT", { "retry-after": "Wed Sep 30 12:00:30 2026" }, 30_000],
		["an ISO date", { "retry-after": "2026-09-30T12:01:00Z" }, 60_000],
		["a date that has passed", { "retry-after": "Wed, 30 Sep 2026 11:00:00 GMT" }, 0],
		[
			"a date by the endpoint's own clock",
			{ "retry-after": "Wed, 30 Sep 2026 15:00:30 GMT", date: "Wed, 30 Sep 2026 15:00:00 GMT" },
			30_000,
		],
		["absurd seconds", { "retry-after": "99999999999999999999" }, Number.MAX_SAFE_INTEGER],
	])("is read from %s", (_name, headers, expected) => {
		expect(read(headers)).toBe(expected);
	});

	it.each([
		["nothing", {}],
		["an empty text", { "retry-after": "" }],
		["a negative number", { "retry-after": "-5" }],
		["a negative number of milliseconds", { "retry-after-ms": "-5" }],
		["a word", { "retry-after": "soon" }],
		["a number with a word", { "retry-after": "5 minutes" }],
		["a word with a number, which some parsers take for a date", { "retry-after": "retry 1" }],
		["infinity", { "retry-after": "Infinity" }],
		["an exponent", { "retry-after": "1e3" }],
		["not a number", { "retry-after": "NaN" }],
		["an impossible date", { "retry-after": "Wed, 99 Foo 2026 99:99:99 GMT" }],
	])("is absent for %s", (_name, headers: Record<string, string>) => {
		expect(read(headers)).toBeUndefined();
	});

	it("is finite and not negative, or absent, for any text at all", () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (a, b) => {
				const ms = read({ "retry-after": a, "retry-after-ms": b });
				expect(ms === undefined || (Number.isFinite(ms) && ms >= 0)).toBe(true);
			}),
		);
	});
});
