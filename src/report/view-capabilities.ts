/**
 * What a text could make a host or an agent do that v0 could not, and the other way round. Looks and never runs.
 *
 * It must not know how admission decides. Invariant: what both texts hold is not named.
 */
import { type Capability, type CapabilityKind, capabilitiesOf, shellOf } from "../domain/capability.ts";

export interface CapabilityView {
	change: "gained" | "lost";
	kind: CapabilityKind;
	/** What was found: a host, a path, a command; as it stands in the text. */
	token: string;
}

/** Differences of the harness before and after, gained ones first. */
export function capabilityChanges(before: readonly string[], after: readonly string[]): CapabilityView[] {
	const [old, young] = [capabilitySet(before), capabilitySet(after)];
	const only = (own: Map<string, Capability>, other: Map<string, Capability>, change: "gained" | "lost") =>
		[...own].filter(([key]) => !other.has(key)).map(([, capability]) => ({ change, ...capability }));
	return [...only(young, old, "gained"), ...only(old, young, "lost")];
}

function capabilitySet(harness: readonly string[]): Map<string, Capability> {
	const found = harness.flatMap((text) => [
		...shellOf(text).map(({ token }): Capability => ({ kind: "inline-shell", token })),
		...capabilitiesOf(text.split(/\r?\n/)).flat(),
	]);
	return new Map(found.map((capability) => [`${capability.kind} ${capability.token}`, capability]));
}
