/**
 * Brings what a run has paid for elsewhere into the store of this host, so that whoever goes on knows what was said and not only
 * what was decided. Knows events and dialogues; must not know where they come from.
 */
import type { RunEvent } from "../domain/events.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";

const AT_ONCE = 50;

/** @returns how many dialogues were found elsewhere; what is in neither place stays unknown */
export async function harvest(
	events: readonly RunEvent[],
	store: DialogueStore,
	elsewhere: Pick<DialogueStore, "find">,
): Promise<number> {
	const keys = [...new Set(events.flatMap(keysOf))];
	let found = 0;
	for (let at = 0; at < keys.length; at += AT_ONCE) {
		const fetched = keys.slice(at, at + AT_ONCE).map(async (key) => {
			if ((await store.find(key)) !== undefined) return;
			const dialogue = await elsewhere.find(key);
			if (dialogue === undefined) return;
			// What this store holds of it already is the beginning of the same dialogue, or of another: then it stays.
			const known = await store.replies(key);
			if (JSON.stringify(known) !== JSON.stringify(dialogue.replies.slice(0, known.length))) return;
			for (const [n, reply] of dialogue.replies.entries()) await store.addReply(key, n, reply);
			await store.finish(key, dialogue);
			found += 1;
		});
		await Promise.all(fetched);
	}
	return found;
}

function keysOf(event: RunEvent): string[] {
	if (event.type === "trials-measured") return event.trials.map(({ rollout }) => rollout);
	if (event.type === "proposals-received") return event.proposals.map(({ reflection }) => reflection);
	return [];
}
