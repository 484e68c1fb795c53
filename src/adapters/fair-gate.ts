/**
 * Lets so many through at once and has the rest wait in order. Knows numbers alone. A run that has no more in the queue than the
 * workers can do takes no turns away from another run: each finds the same place in line.
 */
export interface FairGate {
	/** Calls `enter` when there is room; the turn lasts until `leave`. @returns a function that gives up a place in line */
	wait(enter: () => void): () => void;
	leave(): void;
	/** Lets more through when the room has grown. */
	look(): void;
}

/** @param room how many may be through at once; asked anew each time */
export function createFairGate(room: () => number): FairGate {
	const line = new Set<() => void>();
	let inside = 0;
	const look = (): void => {
		for (const enter of line) {
			if (inside >= room()) return;
			line.delete(enter);
			inside += 1;
			enter();
		}
	};
	return {
		look,
		wait(enter) {
			// A function of its own: the same one may wait twice.
			const own = (): void => enter();
			line.add(own);
			look();
			return () => void line.delete(own);
		},
		leave() {
			inside -= 1;
			look();
		},
	};
}
