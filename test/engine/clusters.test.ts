import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clusters } from "../../src/engine/search/clusters.ts";
import { stemsOf } from "../../src/engine/search/words.ts";

interface Text {
	name: string;
	words: ReadonlySet<string>;
}

const text = (said: string, name = said): Text => ({ name, words: stemsOf(said) });
const namesOf = (found: Text[][]) => found.map((cluster) => cluster.map((member) => member.name).sort()).sort();
const clustered = (members: readonly Text[], alike = 0.1) => namesOf(clusters(members, members, alike));

const WORDS = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"];
/** Texts by number, each with some of a few words. */
const anyTexts = fc
	.array(fc.subarray(WORDS), { maxLength: 12 })
	.map((lists) => lists.map((words, at): Text => ({ name: `t${at}`, words: new Set(words) })));
const anyThreshold = fc.constantFrom(0.05, 0.1, 0.3, 0.6, 0.99);

/** Cosine of two texts with rare words counting more, written down a second time. */
function cosine(a: Text, b: Text, all: readonly Text[]): number {
	const weight = (word: string) =>
		Math.log((all.length + 1) / all.filter((other) => other.words.has(word)).length) ** 2;
	const norm = (one: Text) => [...one.words].reduce((sum, word) => sum + weight(word), 0);
	const shared = [...a.words].filter((word) => b.words.has(word)).reduce((sum, word) => sum + weight(word), 0);
	const whole = Math.sqrt(norm(a) * norm(b));
	return whole === 0 ? 0 : shared / whole;
}

function meanBetween(one: readonly Text[], two: readonly Text[], all: readonly Text[]): number {
	const sum = one.reduce((total, a) => total + two.reduce((row, b) => row + cosine(a, b, all), 0), 0);
	return sum / (one.length * two.length);
}

/** Average linkage by the book: of all clusters the two most alike are joined, until none are alike enough. */
function slowly(texts: readonly Text[], alike: number): Text[][] {
	const found = texts.map((one) => [one]);
	for (;;) {
		let best = { one: -1, two: -1, mean: alike };
		found.forEach((a, one) => {
			found.slice(one + 1).forEach((b, at) => {
				const mean = meanBetween(a, b, texts);
				if (mean > best.mean || (best.one < 0 && mean >= alike)) best = { one, two: one + 1 + at, mean };
			});
		});
		if (best.one < 0) return found;
		found[best.one]?.push(...(found.splice(best.two, 1)[0] ?? []));
	}
}

/** Whether no two pairs of texts that share anything are equally alike. */
function isDistinct(texts: readonly Text[]): boolean {
	const pairs = texts.flatMap((a, at) => texts.slice(at + 1).map((b) => cosine(a, b, texts)));
	const alike = pairs.filter((value) => value > 0).map((value) => value.toFixed(9));
	return new Set(alike).size === alike.length;
}

describe("clusters of texts", () => {
	it("put every text into exactly one cluster, and leave no cluster empty", () => {
		fc.assert(
			fc.property(anyTexts, anyThreshold, (texts, alike) => {
				const found = clusters(texts, texts, alike);
				expect(found.every((cluster) => cluster.length > 0)).toBe(true);
				expect(found.flat().sort((a, b) => texts.indexOf(a) - texts.indexOf(b))).toEqual(texts);
			}),
		);
	});

	it("stop only when no two are alike enough on average", () => {
		fc.assert(
			fc.property(anyTexts, anyThreshold, (texts, alike) => {
				const found = clusters(texts, texts, alike);
				found.forEach((one, at) => {
					for (const two of found.slice(at + 1)) expect(meanBetween(one, two, texts)).toBeLessThan(alike + 1e-9);
				});
			}),
		);
	});

	it("are those of average linkage, computed the slow way, where no two pairs are equally alike", () => {
		fc.assert(
			fc.property(anyTexts, anyThreshold, (texts, alike) => {
				fc.pre(isDistinct(texts));
				expect(clustered(texts, alike)).toEqual(namesOf(slowly(texts, alike)));
			}),
			{ numRuns: 300 },
		);
	});

	it("do not depend on the order of the texts where no two pairs are equally alike", () => {
		fc.assert(
			fc.property(anyTexts, anyThreshold, fc.nat(11), (texts, alike, turn) => {
				fc.pre(isDistinct(texts));
				const turned = [...texts.slice(turn), ...texts.slice(0, turn)];
				expect(clustered(turned, alike)).toEqual(clustered(texts, alike));
				expect(clustered([...texts].reverse(), alike)).toEqual(clustered(texts, alike));
			}),
		);
	});

	it("always hold together what says the same words", () => {
		fc.assert(
			fc.property(anyTexts, anyThreshold, (texts, alike) => {
				const found = clusters(texts, texts, alike);
				const keyOf = (one: Text) => [...one.words].sort().join(" ");
				for (const a of texts) {
					for (const b of texts) {
						if (a.words.size > 0 && keyOf(a) === keyOf(b)) {
							expect(found.find((cluster) => cluster.includes(a))).toBe(found.find((cluster) => cluster.includes(b)));
						}
					}
				}
			}),
		);
	});

	it("join what shares a rare word sooner than what shares a common one", () => {
		const texts = [
			text("parcel amber"),
			text("parcel amber birch"),
			text("parcel cedar"),
			text("parcel dune"),
			text("parcel ember"),
		];
		expect(clustered(texts, 0.2)).toEqual([
			["parcel amber", "parcel amber birch"],
			["parcel cedar"],
			["parcel dune"],
			["parcel ember"],
		]);
	});

	it("leave a text without words by itself", () => {
		const silent = [text("", "a"), text("", "b"), text("amber", "c")];
		expect(clustered(silent, 0.01)).toEqual([["a"], ["b"], ["c"]]);
	});

	it("compare no more than the first six hundred: the others stay by themselves", () => {
		const same = Array.from({ length: 603 }, (_, at) => text("amber birch", `t${at}`));
		const found = clusters(same, [...same, text("cedar")], 0.1);
		expect(found.map((cluster) => cluster.length)).toEqual([600, 1, 1, 1]);
		expect(found.slice(1).flat()).toEqual(same.slice(600));
	});
});
