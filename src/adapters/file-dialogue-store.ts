/**
 * What has been paid for, as a file that only grows: `<run>/outcomes.jsonl`, one sealed line for each reply and one that ends a
 * dialogue. Bodies stay on the disk; memory holds where they stand. A reply is written the moment it is received, before
 * anything is decided on it; a lock elsewhere sees to it that a run has one writer.
 */
import { join } from "node:path";
import type { Reply } from "../domain/dialogue.ts";
import type { Dialogue } from "../domain/trial.ts";
import { DamageError } from "../errors.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import { openAppendFile } from "./append-file.ts";
import { createDialogueIndex } from "./dialogue-index.ts";
import { sealLine, unsealLine } from "./sealed-line.ts";

/** Name of the file in the run's folder. */
export const DIALOGUE_FILE = "outcomes.jsonl";
/** Length of the seal of its lines, in hex digits. */
export const SEAL_DIGITS = 16;

/** A line holds a reply with its number in the dialogue, or the verdict that ends the dialogue. */
type Line = { key: string; reply: number; body: Reply } | { key: string; end: { met: boolean; lostCalls: number } };

/**
 * @param folder of the run; it is made when it is not there
 * @throws DamageError naming the line that is not what was written; a torn last line is cut
 */
export async function createFileDialogueStore({ folder }: { folder: string }): Promise<DialogueStore> {
	const path = join(folder, DIALOGUE_FILE);
	const index = createDialogueIndex();
	const file = openAppendFile({
		path,
		accept(bytes, at) {
			const line = unsealLine(bytes, "", SEAL_DIGITS)?.record as Line | undefined;
			if (line === undefined || !follows(line)) return false;
			index.add(line.key, at, "end" in line);
			return true;
		},
	});

	function follows(line: Line): boolean {
		const { replies, finished } = index.state(line.key);
		return !finished && ("end" in line || line.reply === replies);
	}
	function append(line: Line): Promise<void> {
		const at = file.append(sealLine(line, "", SEAL_DIGITS).line);
		index.add(line.key, at, "end" in line);
		return file.durable();
	}
	function linesOf(key: string): Line[] {
		return index.lines(key).map((at) => {
			const sealed = unsealLine(file.read(at), "", SEAL_DIGITS);
			if (sealed === null)
				throw new DamageError({
					message: `the line at byte ${at.offset} of ${path} has changed`,
					place: { file: path },
				});
			return sealed.record as Line;
		});
	}
	const repliesIn = (lines: readonly Line[]): Reply[] => lines.flatMap((line) => ("body" in line ? [line.body] : []));

	return {
		async find(key): Promise<Dialogue | undefined> {
			if (!index.state(key).finished) return undefined;
			const lines = linesOf(key);
			const last = lines.at(-1);
			if (last === undefined || !("end" in last)) return undefined;
			return { key, replies: repliesIn(lines), complete: true, met: last.end.met, lostCalls: last.end.lostCalls };
		},
		async replies(key) {
			return index.state(key).finished ? [] : repliesIn(linesOf(key));
		},
		async addReply(key, number, reply) {
			const { replies, finished } = index.state(key);
			if (finished || number < replies) return;
			if (number > replies) throw new RangeError(`reply ${number} of ${key} came before reply ${replies}`);
			await append({ key, reply: number, body: reply });
		},
		async finish(key, { met, lostCalls }) {
			if (!index.state(key).finished) await append({ key, end: { met, lostCalls } });
		},
		close: () => file.close(),
	};
}
