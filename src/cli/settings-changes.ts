/**
 * What differs between the settings that a run was opened with and those of now, by name with both values. Knows settings as a
 * tree of named values; decides nothing. Limits are left out: they may be changed on the way.
 */
import type { Settings } from "../domain/job-spec.ts";

/** One phrase for each value that differs, such as `models.task.name was gpt-5-mini, is gpt-5`; empty when none does. */
export function settingsChanges(opened: Settings, now: Settings): string[] {
	const [before, after] = [leavesOf(opened), leavesOf(now)];
	const names = [...new Set([...before.keys(), ...after.keys()])];
	return names
		.filter((name) => before.get(name) !== after.get(name))
		.map((name) => `${name} was ${before.get(name) ?? "not set"}, is ${after.get(name) ?? "not set"}`);
}

/** Every value with its path, in words. */
function leavesOf({ limits: _, ...settings }: Settings): Map<string, string> {
	const leaves = new Map<string, string>();
	const walk = (path: string, value: unknown) => {
		if (typeof value !== "object" || value === null) {
			if (value !== undefined) leaves.set(path, String(value));
			return;
		}
		for (const [name, member] of Object.entries(value)) walk(path === "" ? name : `${path}.${name}`, member);
	};
	walk("", settings);
	return leaves;
}
