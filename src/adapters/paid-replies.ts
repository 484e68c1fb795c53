/**
 * Counts what a run has paid for, as its store tells it: replies that no event of the log speaks of yet are among them. Knows
 * the lines of the file, keeps no text, and changes nothing, so that it may be asked while the run is under way.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { addUsage, NO_USAGE, type Reply, type Usage } from "../domain/dialogue.ts";
import { readAppendFile } from "./append-file.ts";
import { DIALOGUE_FILE, SEAL_DIGITS } from "./file-dialogue-store.ts";
import { unsealLine } from "./sealed-line.ts";

export interface PaidReplies {
	/** Replies that are stored. */
	calls: number;
	/** Of all of them. */
	usage: Usage;
}

/**
 * What the store of a run's folder holds; nothing when there is no store. A torn end is not counted and not touched.
 * @throws DamageError naming a line before the end that is not what was written
 */
export function countPaidReplies(folder: string): PaidReplies {
	const path = join(folder, DIALOGUE_FILE);
	const paid: PaidReplies = { calls: 0, usage: NO_USAGE };
	if (!existsSync(path)) return paid;
	readAppendFile({
		path,
		accept(line) {
			const sealed = unsealLine(line, "", SEAL_DIGITS);
			if (sealed === null) return false;
			const { body } = sealed.record as { body?: Reply };
			if (body === undefined) return true;
			paid.calls += 1;
			paid.usage = addUsage(paid.usage, body.usage);
			return true;
		},
	});
	return paid;
}
