/** A run told in a screen or two, from its events and the answer key. */
import type { EventOf, Proposal, RunEvent } from "../../src/domain/events.ts";
import { evolve, INITIAL, type RunState } from "../../src/domain/run-state.ts";
import type { AnswerKey, Reading } from "./answer-key.ts";
import type { OneRun } from "./one-run.ts";

const figure = (value: number | null | undefined) => (typeof value === "number" ? value.toFixed(3) : "–");
const short = (text: string, most = 92) => {
	const flat = text.replace(/\s+/g, " ").trim();
	return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
};

/** `2 malformed, 1 too-long`, most frequent first. */
function tally(words: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
	return [...counts]
		.sort(([, a], [, b]) => b - a)
		.map(([word, count]) => `${count} ${word}`)
		.join(", ");
}

/** Mean train quality of the measurements that the search goes by. */
function trainMean(state: RunState): number | null {
	const qualities = Object.entries(state.search?.view ?? {}).flatMap(([caseId, variant]) => {
		const quality = state.trials[variant]?.find((trial) => trial.caseId === caseId && trial.repeat === 0)?.outcome
			.quality;
		return typeof quality === "number" ? [quality] : [];
	});
	return qualities.length === 0 ? null : qualities.reduce((sum, quality) => sum + quality, 0) / qualities.length;
}

/** The text of a tracked edit with what it states by the answer key. */
function editWords(state: RunState, key: AnswerKey, id: string): string {
	const traced = state.edits[id];
	if (!traced) return id;
	const { op, text, find } = traced.edit;
	const says = (what: string | undefined) => {
		const { stated, contradicted } = key.read(what ?? "");
		return [...stated, ...contradicted.map((unit) => `!${unit}`)].join(" ") || "nothing";
	};
	if (op === "append") return `+ ${says(text)}`;
	return op === "delete" ? `− ${says(find)}` : `${says(find)} → ${says(text)}`;
}

function asked(event: EventOf<"proposals-received">): string[] {
	const usable = event.proposals.filter((proposal) => proposal.status === "usable");
	const dropped = event.proposals.filter((proposal) => proposal.status !== "usable");
	const edits = usable.reduce((sum, proposal) => sum + proposal.edits.length, 0);
	return [
		`  asked about ${event.groups.length}: ${usable.length} usable with ${edits} edits${dropped.length > 0 ? `, refused: ${tally(dropped.map((proposal) => proposal.reason ?? "?"))}` : ""}`,
		...event.groups.map(
			(group) => `    ${String(group.failing).padStart(2)}/${String(group.total).padEnd(2)} ${short(group.label, 110)}`,
		),
	];
}

function refused(refusals: readonly { code: string }[]): string[] {
	return refusals.length === 0 ? [] : [`  edits refused: ${tally(refusals.map((refusal) => refusal.code))}`];
}

function measured(event: EventOf<"trials-measured">): string[] {
	const qualities = event.trials.flatMap((trial) => trial.outcome.quality ?? []);
	const calls = event.trials.reduce((sum, trial) => sum + trial.spend.taskCalls + trial.spend.judgeCalls, 0);
	const mean = qualities.reduce((sum, quality) => sum + quality, 0) / Math.max(1, qualities.length);
	const texts = new Set(event.trials.map((trial) => trial.variant)).size;
	return [
		`  ${event.purpose}: ${event.trials.length} trials of ${texts === 1 ? "one text" : `${texts} texts`}, ${calls} calls, mean ${figure(mean)}`,
	];
}

function changes(key: AnswerKey, before: Reading, after: Reading): string {
	const gained = after.stated.filter((unit) => !before.stated.includes(unit));
	const lost = before.stated.filter((unit) => !after.stated.includes(unit));
	const against = after.contradicted.filter((unit) => !before.contradicted.includes(unit));
	const right = after.stated.filter((unit) => key.units.includes(unit)).length;
	const parts = [
		`states ${right} of ${key.units.length}`,
		...(gained.length > 0 ? [`+${gained.join(" +")}`] : []),
		...(lost.length > 0 ? [`−${lost.join(" −")}`] : []),
		...(against.length > 0 ? [`contradicts ${against.join(" ")}`] : []),
		`${after.lines} lines, ${after.repeats.length} repeat, ${after.against.length} against, ${after.filler.length} filler`,
	];
	return parts.join(" · ");
}

function judged(event: EventOf<"edits-judged">, state: RunState, key: AnswerKey): string[] {
	const words = (id: string) => editWords(state, key, id);
	const reasons = new Map<string, string[]>();
	for (const { edit, reason } of event.dropped) reasons.set(reason, [...(reasons.get(reason) ?? []), words(edit)]);
	return [
		...refused(event.refusals),
		`  judged: ${event.kept.length} kept, ${event.dropped.length} dropped${event.adopted ? "" : ", not adopted"}${event.reason ? ` (${short(event.reason)})` : ""}`,
		...(event.kept.length > 0 ? [`    kept ${event.kept.map(words).join(" | ")}`] : []),
		...[...reasons].map(([reason, edits]) => `    dropped ${edits.join(" | ")}: ${short(reason)}`),
		...(event.restored.length > 0 ? [`    came back ${event.restored.map(words).join(" | ")}`] : []),
	];
}

function consolidated(event: EventOf<"proposals-consolidated">, key: AnswerKey): string[] {
	const edits = (event.proposal as Proposal | null)?.edits ?? [];
	const empty = edits.filter((edit) => key.read(edit.text ?? "").stated.length === 0).length;
	return [
		`  ${event.operator}: ${event.proposal ? `${edits.length} edits, ${empty} of them state nothing` : `of no use: ${event.reason}`}`,
	];
}

/** Only what tells something of its own; an event of a kind that this does not know is shown as it is. */
function told(event: RunEvent, state: RunState, key: AnswerKey): string[] {
	switch (event.type) {
		case "run-opened":
			return [];
		case "trials-measured":
			return measured(event);
		case "proposals-received":
			return asked(event);
		case "proposals-consolidated":
			return consolidated(event, key);
		case "variant-admitted":
			return [
				...refused(event.refusals),
				`  ${event.variant.operator} makes ${event.variant.id.slice(0, 8)} with ${event.edits.length} new edits, for a ${event.purpose} on ${event.cases.length} cases`,
			];
		case "edits-judged":
			return judged(event, state, key);
		case "search-finished":
			return [`search ends: ${event.stoppedBy}, ${event.reason}`];
		case "look-taken":
			return [
				`  ${event.gate}: ${event.answer} after ${event.pairs} pairs, ${figure(event.mean)} (${figure(event.low)} to ${figure(event.high)}), p ${figure(event.p)} at ${event.alpha}`,
			];
		case "run-closed":
			return [`closed: ${event.status}, ${event.stoppedBy}, ${short(event.reason)}`];
		default:
			return [`  ${short(JSON.stringify(event), 160)}`];
	}
}

/** Lines of the story. `score` says what a text is worth on the test split. */
export async function storyOf(
	run: OneRun,
	key: AnswerKey,
	score: (text: string) => Promise<number>,
	showLines: boolean,
): Promise<string[]> {
	const lines: string[] = [];
	let state = INITIAL;
	let generation = -1;
	let before = key.read("");
	let working = "";
	const closing: { id: string; what: string }[] = [];
	for (const event of run.events) {
		const after = evolve(state, event);
		if (event.type === "run-opened") {
			working = event.incumbent.id;
			before = key.read(run.textOf(working));
			lines.push(`v0 ${changes(key, before, before)}; train sample of ${event.trainSample.length}`);
			closing.push({ id: working, what: "v0" });
		}
		const own =
			event.type === "variant-admitted"
				? event.variant.generation
				: "generation" in event
					? event.generation
					: generation;
		if (own > generation && !state.search?.finished) {
			generation = own;
			lines.push(`generation ${generation} at ${paidSoFar(state)} calls, train mean ${figure(trainMean(state))}`);
		}
		lines.push(...told(event, after, key));
		if (event.type === "edits-judged" && event.working.id !== working) {
			working = event.working.id;
			const reading = key.read(run.textOf(working));
			lines.push(
				`  text ${working.slice(0, 8)}: ${changes(key, before, reading)} · train mean ${figure(trainMean(after))}`,
			);
			before = reading;
			closing.push({ id: working, what: `generation ${event.generation}` });
		}
		state = after;
	}
	lines.push("", "texts, by the test split (which no run sees)");
	for (const { id, what } of closing) lines.push(`  ${id.slice(0, 8)} ${what}: ${figure(await score(run.textOf(id)))}`);
	const final = key.read(run.text);
	const missing = key.units.filter((unit) => !final.stated.includes(unit));
	const extra = final.stated.filter((unit) => !key.units.includes(unit));
	lines.push(
		"",
		`handed out ${run.won ? "a proven winner" : "v0"}: test ${figure(await score(run.text))} (all stated ${figure(await score(key.oracle))}), ${run.paid} paid calls, ${(run.text.length / key.seedPrompt.length).toFixed(1)} times the seed text (all stated ${(key.oracle.length / key.seedPrompt.length).toFixed(1)})`,
		`  missing ${missing.join(" ") || "nothing"}`,
		...(extra.length > 0 ? [`  beyond the full text ${extra.join(" ")}`] : []),
		...(final.contradicted.length > 0 ? [`  contradicts ${final.contradicted.join(" ")}`] : []),
		...final.repeats.map((line) => `  repeats: ${line}`),
		...final.against.map((line) => `  against: ${line}`),
		...final.filler.map((line) => `  filler: ${line}`),
	);
	if (showLines)
		lines.push(
			"",
			...run.text.split("\n").map((line) => `  ${short(line, 110).padEnd(110)} ${key.read(line).stated.join(" ")}`),
		);
	return lines;
}

function paidSoFar(state: RunState): number {
	const { taskCalls, judgeCalls, reflectionCalls } = state.spend;
	return taskCalls + judgeCalls + reflectionCalls;
}
