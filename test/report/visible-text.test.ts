import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, visible, visibleLine } from "../../src/report/visible-text.ts";

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const HIDDEN = [
	...range(0x00, 0x1f).filter((point) => point !== 0x09 && point !== 0x0a),
	...range(0x7f, 0x9f),
	...[0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x3164, 0xfeff, 0xffa0],
	...range(0x200b, 0x200f),
	...range(0x2028, 0x202e),
	...range(0x2060, 0x2064),
	...range(0x2066, 0x206f),
	...range(0xfe00, 0xfe0f),
	...range(0xfff9, 0xfffb),
	...range(0xe0001, 0xe007f),
	...range(0xe0100, 0xe01ef),
	...[0xd800, 0xdfff],
];

describe("visible text", () => {
	it("writes out every control, bidi, zero width, tag and variation character", () => {
		for (const point of HIDDEN) {
			expect(visible(`a${String.fromCodePoint(point)}b`)).toBe(`a\\u{${point.toString(16).toUpperCase()}}b`);
		}
	});

	it("leaves ordinary text of any script alone, with tabs, line ends and emoji", () => {
		for (const text of ["plain\n\ttext", "größer als 5 €", "日本語", "עברית", "⚠️ done 👩‍🔬 👍🏽"])
			expect(visible(text)).toBe(text);
		expect(visible("one\r\ntwo")).toBe("one\ntwo");
	});

	it("leaves nothing that a screen would obey, whatever comes in", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (text) => {
				expect(visible(text)).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
				expect(visibleLine(text)).not.toMatch(/[\n\t]/);
			}),
		);
	});

	it("clips by characters, never through one", () => {
		expect(clip("👍👍👍", 2)).toBe("👍…");
		expect(visibleLine("  a\n b\tc ", 4)).toBe("a b…");
	});
});
