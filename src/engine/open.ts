/**
 * Opening and resuming a run. The opening event holds everything that later decisions rest on; a run goes on only while all
 * of that is still the same.
 */
import { type Case, caseSetDigest, casesOf } from "../domain/case.ts";
import { digest } from "../domain/digest.ts";
import type { EventOf } from "../domain/events.ts";
import type { Settings } from "../domain/job-spec.ts";
import { pinOf } from "../domain/kernel.ts";
import type { MeasuredNoise } from "../domain/noise.ts";
import { protocolDigest } from "../domain/protocol.ts";
import { harnessOf, type Skill } from "../domain/skill.ts";
import { variantId } from "../domain/variant.ts";
import { trainSample } from "./search/cover.ts";
import type { SearchStart } from "./start.ts";

export interface Opening {
	run: string;
	/** ISO 8601 */
	startedAt: string;
	settings: Settings;
	offline: boolean;
	base: { commit: string; path: string; blob: string; ref: string | null };
	skill: Skill;
	cases: readonly Case[];
	/** What `gepa cases noise` measured for this text, these cases and these models. */
	noise?: MeasuredNoise;
	/** The text that the run before left undecided. */
	start?: SearchStart | null;
	/** Notes of reviewers, a line each. */
	guidance?: readonly string[];
}

/** The event that opens a run. Pure. */
export function openRun({
	run,
	startedAt,
	settings,
	offline,
	base,
	skill,
	cases,
	noise,
	start,
	guidance = [],
}: Opening): EventOf<"run-opened"> {
	const harness = harnessOf(skill);
	const pin = pinOf(skill);
	return {
		type: "run-opened",
		v: 1,
		run,
		startedAt,
		settings,
		offline,
		base: { ...base, bytes: Buffer.from(skill.bytes).toString("base64") },
		pin,
		caseSet: caseSetDigest(cases),
		protocol: protocolDigest(settings, pin),
		incumbent: { id: variantId(harness), parents: [], operator: "seed", generation: 0, harness, patch: [] },
		trainSample: trainSample(casesOf(cases, "train"), settings.limits.calls, settings.seed),
		...(noise !== undefined && Object.keys(noise).length > 0 && { noise }),
		...(start && { start }),
		...(guidance.length > 0 && { guidance: [...guidance] }),
	};
}

/** What has changed since a run was opened, one sentence each; empty when it may go on. Limits may be raised on the way. */
export function changesSince(
	opened: EventOf<"run-opened">,
	now: Omit<Opening, "run" | "startedAt" | "offline">,
): string[] {
	const fresh = openRun({ ...now, run: opened.run, startedAt: opened.startedAt, offline: opened.offline });
	const fixed = (event: EventOf<"run-opened">) => digest({ ...event.settings, models: null, limits: null });
	const changes: string[] = [];
	if (fresh.base.bytes !== opened.base.bytes) changes.push("the skill's text is another one");
	if (fresh.caseSet !== opened.caseSet) changes.push("the cases are other ones");
	if (fresh.protocol !== opened.protocol) changes.push("the protocol (models, their settings, kernel) is another one");
	if (digest(fresh.settings.models.reflection) !== digest(opened.settings.models.reflection))
		changes.push("the reflection model is another one");
	if (fixed(fresh) !== fixed(opened)) changes.push("the settings of the job spec are other ones");
	return changes;
}
