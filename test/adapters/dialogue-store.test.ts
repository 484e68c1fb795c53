import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFileDialogueStore } from "../../src/adapters/file-dialogue-store.ts";
import { createMemoryDialogueStore } from "../../src/adapters/memory-dialogue-store.ts";
import { sha256 } from "../../src/domain/digest.ts";
import { DamageError, LaterError } from "../../src/errors.ts";
import type { DialogueStore } from "../../src/ports/dialogue-store.ts";
import { reply } from "../support/tasks.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const k1 = sha256("1");
const k2 = sha256("2");

describe.each<[string, () => Promise<DialogueStore>]>([
	["in memory", async () => createMemoryDialogueStore()],
	["in a file", () => createFileDialogueStore({ folder: temporaryFolder() })],
])("the dialogue store %s", (_, open) => {
	it("keeps the replies of a dialogue, then the dialogue", async () => {
		const store = await open();
		expect([await store.find(k1), await store.replies(k1)]).toEqual([undefined, []]);
		await store.addReply(k1, 0, reply("a\u2028\ud800 \0"));
		await store.addReply(k2, 0, reply("other"));
		await store.addReply(k1, 1, reply("b"));
		expect(await store.find(k1)).toBeUndefined();
		expect(await store.replies(k1)).toEqual([reply("a\u2028\ud800 \0"), reply("b")]);
		await store.finish(k1, { met: true, lostCalls: 2 });
		expect(await store.find(k1)).toEqual({
			key: k1,
			replies: [reply("a\u2028\ud800 \0"), reply("b")],
			complete: true,
			met: true,
			lostCalls: 2,
		});
		expect(await store.replies(k2)).toEqual([reply("other")]);
		await store.close();
	});

	it("ignores what it has already: the first word counts", async () => {
		const store = await open();
		await store.addReply(k1, 0, reply("a"));
		await store.addReply(k1, 0, reply("another"));
		await store.finish(k1, { met: false, lostCalls: 0 });
		await store.finish(k1, { met: true, lostCalls: 1 });
		await store.addReply(k1, 1, reply("late"));
		expect(await store.find(k1)).toMatchObject({ replies: [reply("a")], met: false, lostCalls: 0 });
		await store.close();
	});

	it("refuses a reply that leaves a gap", async () => {
		const store = await open();
		await expect(store.addReply(k1, 1, reply("b"))).rejects.toThrow(RangeError);
		await store.close();
	});

	it("takes any key, and a dialogue without replies", async () => {
		const store = await open();
		const odd = Buffer.from(k1, "hex").toString("latin1");
		await store.finish(odd, { met: false, lostCalls: 1 });
		expect(await store.find(odd)).toMatchObject({ key: odd, replies: [] });
		expect(await store.find(k1)).toBeUndefined();
		await store.close();
	});
});

/** A store with three dialogues: finished after two replies, unfinished, finished at once. */
async function filled(folder: string): Promise<Buffer> {
	const store = await createFileDialogueStore({ folder });
	await Promise.all([store.addReply(k1, 0, reply("ä1")), store.addReply(k2, 0, reply("ö2"))]);
	await store.addReply(k1, 1, reply("zwei"));
	await store.finish(k1, { met: true, lostCalls: 0 });
	await store.finish("three", { met: false, lostCalls: 1 });
	await store.close();
	return readFileSync(join(folder, "outcomes.jsonl"));
}

describe("the file of the dialogue store", () => {
	it("gives the same after it is opened again", async () => {
		const folder = temporaryFolder();
		await filled(folder);
		const store = await createFileDialogueStore({ folder });
		expect(await store.find(k1)).toMatchObject({ replies: [reply("ä1"), reply("zwei")], met: true });
		expect(await store.replies(k2)).toEqual([reply("ö2")]);
		expect(await store.find("three")).toMatchObject({ met: false, lostCalls: 1 });
		await store.close();
	});

	it("holds a reply before the promise of adding it resolves, so that a killed process loses nothing", async () => {
		const folder = temporaryFolder();
		const store = await createFileDialogueStore({ folder });
		const pending = store.addReply(k1, 0, reply("a"));
		expect(readFileSync(join(folder, "outcomes.jsonl"), "utf8")).toContain('"text":"a"');
		await pending;
		await store.close();
	});

	it("recovers from a cut at every byte with whole lines only, and goes on", async () => {
		const whole = await filled(temporaryFolder());
		const folder = temporaryFolder();
		const path = join(folder, "outcomes.jsonl");
		for (let size = 0; size <= whole.length; size++) {
			writeFileSync(path, whole.subarray(0, size));
			const store = await createFileDialogueStore({ folder });
			const kept = await store.replies(k2);
			expect(kept.length === 0 || kept[0]?.text === "ö2").toBe(true);
			if (size % 7 > 0) {
				await store.close();
				continue;
			}
			await store.addReply(k2, kept.length, reply("on"));
			expect((await store.replies(k2)).at(-1)).toEqual(reply("on"));
			await store.close();
			const again = await createFileDialogueStore({ folder });
			expect((await again.replies(k2)).at(-1)).toEqual(reply("on"));
			await again.close();
		}
	}, 60_000);

	it("names the line in which any byte has changed", async () => {
		const whole = await filled(temporaryFolder());
		const folder = temporaryFolder();
		await fc.assert(
			fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
				const changed = Buffer.from(whole);
				changed[at] = (changed[at] ?? 0) ^ flip;
				writeFileSync(join(folder, "outcomes.jsonl"), changed);
				const line = whole.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
				const error = await createFileDialogueStore({ folder }).catch((reason: unknown) => reason);
				expect(error).toBeInstanceOf(DamageError);
				// A line end that was changed joins two lines; one that was put in ends a line early: the first bad line is named.
				expect((error as DamageError).place?.line).toBe(line);
			}),
			{ numRuns: 300 },
		);
	});

	it("refuses to write beside somebody else", async () => {
		const folder = temporaryFolder();
		const store = await createFileDialogueStore({ folder });
		appendFileSync(join(folder, "outcomes.jsonl"), "x");
		await expect(store.addReply(k1, 0, reply("a"))).rejects.toThrow(LaterError);
		await store.close();
	});

	it("holds no bodies in memory", async () => {
		const folder = temporaryFolder();
		const store = await createFileDialogueStore({ folder });
		const body = "x".repeat(50_000);
		const before = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
		for (let n = 0; n < 1_000; n++) {
			void store.addReply(sha256(`${n}`), 0, reply(body));
			if (n % 50 === 0) await store.finish(sha256(`end ${n}`), { met: true, lostCalls: 0 });
		}
		await store.finish(k1, { met: true, lostCalls: 0 });
		const after = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
		expect(statSync(join(folder, "outcomes.jsonl")).size).toBeGreaterThan(50_000_000);
		expect(after - before).toBeLessThan(40_000_000);
		await store.close();
	});

	it("makes its folder", async () => {
		const folder = join(temporaryFolder(), "a", "b");
		await (await createFileDialogueStore({ folder })).close();
		expect(existsSync(join(folder, "outcomes.jsonl"))).toBe(true);
	});
});
