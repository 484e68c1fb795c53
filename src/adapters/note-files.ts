/**
 * Notes of reviewers as files: `<run>/notes.json`, whole or not at all. Knows the place and the shape; what notes are for is not
 * known here.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Note, type Notes, notesSchema } from "../domain/note.ts";
import { DamageError } from "../errors.ts";
import { listRuns, type RunPlace, writeWhole } from "./run-folder.ts";

const NOTES_FILE = "notes.json";

/** @throws DamageError when the file is there and is none of ours */
export function readNotes({ folder, run, skill }: RunPlace): Notes {
	const file = join(folder, NOTES_FILE);
	if (!existsSync(file)) return { schemaVersion: 1, run, skill, notes: [] };
	try {
		return notesSchema.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch (cause) {
		const hint = "Put it right, or move it away: the run itself does not need it.";
		throw new DamageError({ message: `${file} holds no notes that this version knows`, hint, place: { file }, cause });
	}
}

/** Adds a note; one of the same id is replaced. */
export function saveNote(place: RunPlace, note: Note): Notes {
	const known = readNotes(place);
	const notes = { ...known, notes: [...known.notes.filter(({ id }) => id !== note.id), note] };
	writeNotes(place, notes);
	return notes;
}

export function removeNote(place: RunPlace, id: string): Notes {
	const known = readNotes(place);
	const notes = { ...known, notes: known.notes.filter((note) => note.id !== id) };
	writeNotes(place, notes);
	return notes;
}

function writeNotes(place: RunPlace, notes: Notes): void {
	writeWhole(join(place.folder, NOTES_FILE), `${JSON.stringify(notesSchema.parse(notes), null, 2)}\n`);
}

/** The notes of all runs of a skill; a file that cannot be read is passed over. */
export function notesOfSkill(results: string, skill: string): Notes[] {
	return listRuns(results, skill).flatMap((place) => {
		try {
			return [readNotes(place)];
		} catch (error) {
			if (error instanceof DamageError) return [];
			throw error;
		}
	});
}
