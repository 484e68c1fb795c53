import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFileRunLog } from "../../src/adapters/file-run-log.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { DamageError, LaterError } from "../../src/errors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The log knows no event: anything that its reader takes will do. */
const event = (n: number, text = ""): RunEvent => ({ type: "test", n, text }) as unknown as RunEvent;
const parse = (value: unknown): RunEvent => {
	if ((value as { type?: unknown } | null)?.type !== "test") throw new TypeError("no event");
	return value as RunEvent;
};
const open = (folder: string) => createFileRunLog({ folder, now: () => new Date("2026-01-02T03:04:05Z"), parse });

async function filled(folder: string): Promise<Buffer> {
	const log = await open(folder);
	for (let n = 0; n < 4; n++) await log.append(n, event(n, "äé\u2028😀"));
	await log.close();
	return readFileSync(join(folder, "events.jsonl"));
}

describe("the log of a run", () => {
	it("keeps its events in order, with the time of each, over a restart", async () => {
		const folder = temporaryFolder();
		const log = await open(folder);
		expect(log.events).toEqual([]);
		await log.append(0, event(0));
		await log.append(1, event(1));
		expect(log.events).toEqual([event(0), event(1)]);
		await log.close();
		const again = await open(folder);
		expect(again.events).toEqual([event(0), event(1)]);
		expect(again.times).toEqual(["2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05.000Z"]);
		await again.append(2, event(2));
		await again.close();
	});

	it("is plain JSON, one line for each event", async () => {
		const lines = (await filled(temporaryFolder())).toString("utf8").trimEnd().split("\n");
		expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([0, 1, 2, 3]);
		expect(JSON.parse(lines[1] ?? "")).toMatchObject({
			seq: 1,
			at: "2026-01-02T03:04:05.000Z",
			event: event(1, "äé\u2028😀"),
		});
	});

	it("refuses an event out of turn, also when two are appended at once", async () => {
		const log = await open(temporaryFolder());
		await expect(log.append(1, event(1))).rejects.toThrow(LaterError);
		const both = await Promise.allSettled([log.append(0, event(0)), log.append(0, event(9))]);
		expect(both.map((each) => each.status)).toEqual(["fulfilled", "rejected"]);
		expect(log.events).toEqual([event(0)]);
		await log.close();
	});

	it("refuses to write after somebody else has written", async () => {
		const folder = temporaryFolder();
		const [log, other] = [await open(folder), await open(folder)];
		await other.append(0, event(0));
		await expect(log.append(0, event(0))).rejects.toThrow(LaterError);
		expect(log.events).toEqual([]);
		await log.close();
		await other.close();
	});

	it("recovers from a cut at every byte with a prefix of its events, and goes on", async () => {
		const whole = await filled(temporaryFolder());
		const folder = temporaryFolder();
		for (let size = 0; size <= whole.length; size++) {
			writeFileSync(join(folder, "events.jsonl"), whole.subarray(0, size));
			const log = await open(folder);
			const count = log.events.length;
			expect(log.events).toEqual([0, 1, 2, 3].slice(0, count).map((n) => event(n, "äé\u2028😀")));
			if (size % 7 > 0) {
				await log.close();
				continue;
			}
			await log.append(count, event(7));
			await log.close();
			const again = await open(folder);
			expect(again.events.at(-1)).toEqual(event(7));
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
				writeFileSync(join(folder, "events.jsonl"), changed);
				const line = whole.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
				const error = await open(folder).catch((reason: unknown) => reason);
				expect(error).toBeInstanceOf(DamageError);
				expect((error as DamageError).place?.line).toBe(line);
			}),
			{ numRuns: 300 },
		);
	});

	it.each([
		["taken out", (lines: string[]) => lines.toSpliced(1, 1)],
		["doubled", (lines: string[]) => lines.toSpliced(1, 0, lines[0] ?? "")],
		["swapped", (lines: string[]) => [lines[0], lines[2], lines[1], lines[3]]],
	])("names the line after one was %s", async (_, change) => {
		const folder = temporaryFolder();
		const lines = (await filled(folder)).toString("utf8").trimEnd().split("\n");
		writeFileSync(join(folder, "events.jsonl"), `${change(lines).join("\n")}\n`);
		await expect(open(folder)).rejects.toMatchObject({ exitCode: 7, place: { line: 2 } });
	});

	it("names the line that holds no event it knows, and keeps the file as it is", async () => {
		const folder = temporaryFolder();
		const log = await open(folder);
		await log.append(0, event(0));
		await log.append(1, { type: "from the future" } as unknown as RunEvent);
		await log.close();
		const bytes = readFileSync(join(folder, "events.jsonl"));
		await expect(open(folder)).rejects.toMatchObject({ exitCode: 7, place: { line: 2 } });
		expect(readFileSync(join(folder, "events.jsonl"))).toEqual(bytes);
	});

	it("cuts zeros that a power cut left at the end", async () => {
		const folder = temporaryFolder();
		await filled(folder);
		appendFileSync(join(folder, "events.jsonl"), Buffer.alloc(4096));
		const log = await open(folder);
		expect(log.events).toHaveLength(4);
		await log.close();
	});
});
