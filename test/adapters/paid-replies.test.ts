import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileDialogueStore } from "../../src/adapters/file-dialogue-store.ts";
import { countPaidReplies } from "../../src/adapters/paid-replies.ts";
import type { Reply } from "../../src/domain/dialogue.ts";
import { NO_USAGE } from "../../src/domain/dialogue.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const reply: Reply = {
	text: "yes",
	finish: "stop",
	usage: { ...NO_USAGE, prompt: 10, completion: 2 },
	latencyMs: 5,
};

async function storedFolder(): Promise<string> {
	const folder = temporaryFolder();
	const store = await createFileDialogueStore({ folder });
	await store.addReply("a", 0, reply);
	await store.addReply("a", 1, reply);
	await store.finish("a", { met: true, lostCalls: 0 });
	await store.addReply("b", 0, reply);
	await store.close();
	return folder;
}

describe("counting what is paid for", () => {
	it("finds nothing where there is no store", () => {
		expect(countPaidReplies(temporaryFolder())).toEqual({ calls: 0, usage: NO_USAGE });
	});

	it("counts the replies of finished and unfinished dialogues with their usage", async () => {
		expect(countPaidReplies(await storedFolder())).toMatchObject({
			calls: 3,
			usage: { prompt: 30, completion: 6 },
		});
	});

	it("leaves a torn end alone and does not count it", async () => {
		const folder = await storedFolder();
		const path = join(folder, "outcomes.jsonl");
		appendFileSync(path, '{"seal":"0123');
		const before = readFileSync(path);
		expect(countPaidReplies(folder).calls).toBe(3);
		expect(readFileSync(path)).toEqual(before);
	});

	it("names a line that was changed", async () => {
		const folder = await storedFolder();
		const path = join(folder, "outcomes.jsonl");
		writeFileSync(path, readFileSync(path, "utf8").replace("yes", "no!"));
		expect(() => countPaidReplies(folder)).toThrow(/line 1 of/);
	});
});
