/** What bounds the time of a function counts the work of this process, not the time that passes on a busy machine. */
import { describe, expect, it } from "vitest";
import { withinTime } from "../../src/adapters/time-bound.ts";

const LIMIT_MS = 60;

/** Lets time pass without working, as a stopped or starved process does. */
function idle(ms: number): void {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe("a function whose time is bounded", () => {
	it("gives its value", () => {
		expect(withinTime(LIMIT_MS, () => 7)).toBe(7);
	});

	it("is given up when it works without end", () => {
		expect(
			withinTime(LIMIT_MS, () => {
				for (;;) if (Number.MAX_VALUE < 0) return 7;
			}),
		).toBeUndefined();
	});

	it("is begun again when the process got no processor for longer than the limit", () => {
		let begun = 0;
		const value = withinTime(LIMIT_MS, () => {
			begun += 1;
			if (begun === 1) idle(3 * LIMIT_MS);
			return 7;
		});
		expect(value).toBe(7);
	});

	it("is begun again as itself when it was stopped within another one that it had begun", () => {
		let begun = 0;
		const value = withinTime(LIMIT_MS, () => {
			begun += 1;
			if (begun === 1) withinTime(100 * LIMIT_MS, () => idle(3 * LIMIT_MS));
			return "outer";
		});
		expect(value).toBe("outer");
		expect(begun).toBe(2);
	});

	it("is given up when it runs out of stack, and passes on what it throws", () => {
		const deep = (): number => deep() + 1;
		expect(withinTime(LIMIT_MS, deep)).toBeUndefined();
		expect(() =>
			withinTime(LIMIT_MS, () => {
				throw new TypeError("no");
			}),
		).toThrow(TypeError);
	});
});
