/**
 * What a reviewer wrote beside a report, and what of it the next run is told. Notes are advice of a person: they reach the
 * reflection model as quoted guidance, and change nothing by themselves.
 *
 * It must not know a file or a clock.
 */
import { z } from "zod";

const LONGEST = 2_000;

export const noteSchema = z.strictObject({
	id: z.string().regex(/^[0-9a-f-]{8,36}$/),
	/** ISO 8601, UTC. */
	at: z.string(),
	author: z.string().max(80),
	text: z.string().min(1).max(LONGEST),
	/** Id of the case that it is about; null for the run as a whole. */
	case: z.string().max(80).nullable(),
	/** Whether the next run's reflections are told. */
	guidance: z.boolean(),
});
export type Note = z.infer<typeof noteSchema>;

/** The file `notes.json` in the folder of a run. */
export const notesSchema = z.strictObject({
	schemaVersion: z.literal(1),
	run: z.string(),
	skill: z.string(),
	notes: z.array(noteSchema).max(500),
});
export type Notes = z.infer<typeof notesSchema>;

/** Guidance that one run is given, at most: a prompt has little room, and old advice is often met already. */
const MOST_NOTES = 8;
const MOST_CHARACTERS = 2_400;

/**
 * What reviewers want the next run to know, newest first, each a line.
 * @param earlier notes of the skill's runs, in any order
 */
export function guidanceOf(earlier: readonly Notes[]): string[] {
	const wanted = earlier
		.flatMap(({ notes }) => notes.filter((note) => note.guidance))
		.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? -1 : 1));
	const lines: string[] = [];
	let room = MOST_CHARACTERS;
	for (const note of wanted) {
		const text = note.text.replace(/\s+/g, " ").trim();
		const line = note.case === null ? text : `${text} (about case ${note.case})`;
		if (line === "" || lines.includes(line)) continue;
		if (lines.length === MOST_NOTES || line.length > room) break;
		lines.push(line);
		room -= line.length;
	}
	return lines;
}
