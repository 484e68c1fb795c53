/** Measures one job: conducts the run that it describes on a stand of its own, and says what came of it. */
import type { Case } from "../../src/domain/case.ts";
import type { RunEvent } from "../../src/domain/events.ts";
import { openingOf, type RunState } from "../../src/domain/run-state.ts";
import { createStream } from "../../src/domain/sampling.ts";
import { measurementsOf } from "../../src/report/view-changes.ts";
import { exportFamily, type Stand, startStand } from "../support/stand.ts";
import { testScore } from "../support/stand-score.ts";
import { type AnswerKey, answerKey, rewordings } from "./answer-key.ts";
import { bloated } from "./bloated.ts";
import { floorOf } from "./floor.ts";
import type {
	Job,
	OrderJob,
	OrderResult,
	ReferenceJob,
	ReferenceResult,
	Row,
	RunJob,
	RunResult,
	SpeedJob,
	SpeedResult,
} from "./job.ts";
import { mean } from "./markdown.ts";
import { measureOffline } from "./offline-run.ts";
import { type OneRun, withRun } from "./one-run.ts";
import { operatorsOf } from "./operators.ts";

export async function measure(job: Job): Promise<Row> {
	switch (job.job) {
		case "run":
			return { ...job, ...(await measureRun(job)) };
		case "reference":
			return { ...job, ...(await measureReference(job)) };
		case "speed":
			return { ...job, ...(await measureSpeed(job)) };
		case "order":
			return { ...job, ...(await measureOrder(job)) };
		case "offline":
			return { ...job, ...(await measureOffline(job)) };
	}
}

/** The text that a run starts from. Which rules it lacks is drawn by the seed. */
function startText(name: string, start: RunJob["start"], seed: number): string | undefined {
	if (start === "seed") return undefined;
	const family = exportFamily(name);
	if (start === "bloated") return bloated(family.fullText, rewordings(name), seed);
	const own = new Set(family.seedPrompt.split("\n"));
	const added = family.fullText.split("\n").filter((line) => !own.has(line));
	const lacking = start === "half" ? Math.ceil(added.length / 2) : start;
	const taken = new Set(createStream(seed, "bench: rules that v0 lacks").sample(added, lacking));
	return family.fullText
		.split("\n")
		.filter((line) => !taken.has(line))
		.join("\n");
}

async function measureRun(job: RunJob): Promise<RunResult> {
	const { family, budget, seed, stand, search, sealed, draws } = job;
	const harness = startText(family, job.start, seed);
	const key = await keyOrNone(family);
	const { policy } = job;
	const request = {
		...{ family, budget, seed, stand, search, sealed },
		...(harness !== undefined && { harness }),
		...(policy !== undefined && { policy }),
	};
	return withRun(request, async (run) => {
		const { state, exported, text } = run;
		const reading = key?.read(text) ?? null;
		const seedLength = exported.seedPrompt.length;
		const score = await testScore(run.stand, text, exported.test, draws);
		return {
			score,
			won: run.won,
			validated: state.looks.some((look) => look.gate === "validation" && look.answer === "better"),
			gain: run.won ? await gainOf(run, score) : null,
			interval: run.won ? intervalOf(run) : null,
			paid: run.paid,
			length: text.length / seedLength,
			seconds: run.seconds,
			status: state.closed?.status ?? "open",
			stoppedBy: state.search?.finished?.stoppedBy ?? state.closed?.stoppedBy ?? null,
			tokens: {
				v0: tokensOf(state, openingOf(state).incumbent.id),
				text: tokensOf(state, run.won ? (state.search?.finished?.finalist ?? "") : openingOf(state).incumbent.id),
			},
			operators: await operatorsOf(
				run,
				key,
				job.deep ? (which) => testScore(run.stand, which, exported.test, 3, 200) : null,
			),
			missing: reading && key ? key.units.filter((unit) => !reading.stated.includes(unit)).length : null,
			empty: reading ? reading.filler.length + reading.repeats.length : null,
		};
	});
}

/** Mean tokens over all trials of a text. */
function tokensOf(state: RunState, variant: string): number {
	return mean((state.trials[variant] ?? []).flatMap((trial) => trial.outcome.tokens ?? []));
}

/** The answer key; null for a kind of family that cannot be read. */
async function keyOrNone(family: string): Promise<AnswerKey | null> {
	try {
		return await answerKey(family);
	} catch {
		return null;
	}
}

/** Draws per test case and side of a batch. */
const BATCH = 4;
const MOST_BATCHES = 12;
/** A difference as large as this is beyond doubt after the first few draws. */
const CLEAR = 0.2;

/** The winner, whose score is known, against v0 on the test split: in batches of fresh draws until the difference is clear or there were many. */
async function gainOf(run: OneRun, score: number): Promise<NonNullable<RunResult["gain"]>> {
	const { stand, state, exported, text, textOf } = run;
	const v0 = textOf(openingOf(state).incumbent.id);
	const side = (which: string, draws: number, from: number) => testScore(stand, which, exported.test, draws, from);
	const first = score - (await side(v0, 2, 500));
	// No score from 0 to 1 has a larger standard deviation than 1/2.
	if (first > CLEAR) return { mean: first, error: Math.sqrt(0.25 / (exported.test.length * 2)) };
	const differences: number[] = [];
	for (let batch = 0; batch < MOST_BATCHES; batch++) {
		// Draws that no score of this run has used, and none that both sides share.
		const from = 1000 + 2 * batch * BATCH;
		differences.push((await side(text, BATCH, from)) - (await side(v0, BATCH, from + BATCH)));
		const { mean, error } = meanAndError(differences);
		if (batch > 1 && Math.abs(mean) > Math.max(CLEAR / 4, 5 * error)) break;
	}
	return meanAndError(differences);
}

function meanAndError(values: readonly number[]): { mean: number; error: number } {
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
	return { mean, error: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) };
}

function intervalOf({ state, exported }: OneRun): RunResult["interval"] {
	const finalist = state.search?.finished?.finalist ?? "";
	const quality = measurementsOf(state, exported.cases as Case[]).scorecard(finalist, "validation")?.quality;
	if (!quality || quality.mean === null || quality.low === null || quality.high === null) return null;
	return { mean: quality.mean, low: quality.low, high: quality.high, cases: quality.n };
}

async function measureReference({ family, draws }: ReferenceJob): Promise<ReferenceResult> {
	const exported = exportFamily(family);
	const score = (stand: Stand, text: string) => testScore(stand, text, exported.test, draws);
	const stand = await startStand();
	try {
		return {
			seedScore: await score(stand, exported.seedPrompt),
			fullScore: await score(stand, exported.fullText),
			fullLength: exported.fullText.length / exported.seedPrompt.length,
		};
	} finally {
		await stand.stop();
	}
}

async function measureSpeed({ family, budget, seed, latency, search }: SpeedJob): Promise<SpeedResult> {
	const time = (stand: Record<string, number>) =>
		withRun({ family, budget, seed, stand, search }, async ({ paid, seconds, cpu, stats }) => {
			const { task, reflect, judge } = stats.roles;
			return { paid, seconds, cpu, service: (task.serviceMs + reflect.serviceMs + judge.serviceMs) / 1000 };
		});
	if (latency > 0) return { ...(await time({ latency })), floor: null };
	// Not counted: code that has run once is faster, and a worker that lives for a night is measured here.
	await time({});
	await floorOf(family, 200);
	// The middle one of a few, each beside its own floor: what else the machine does comes and goes.
	const measured: SpeedResult[] = [];
	for (let turn = 0; turn < 3; turn++) measured.push({ floor: await floorOf(family, 400), ...(await time({})) });
	const above = ({ seconds, paid, floor }: SpeedResult) => (1000 * seconds) / paid - (floor?.wall ?? 0);
	return measured.sort((a, b) => above(a) - above(b))[1] as SpeedResult;
}

/** Twice the same run: answers come in another order, to another number of slots. Decisions must not differ. */
async function measureOrder({ family, budget, seed, search }: OrderJob): Promise<OrderResult> {
	// A model that draws anew at each occurrence of a request would not give the same replies twice.
	const same = { "hard-sample": 0 };
	const eventsOf = (stand: Record<string, number>, concurrency: number) =>
		withRun({ family, budget, seed, search, concurrency, stand: { ...same, ...stand } }, async ({ events }) =>
			events.map(withoutTimes),
		);
	const first = await eventsOf({}, 16);
	const second = await eventsOf({ latency: 1, jitter: 25 }, 5);
	return { same: JSON.stringify(first) === JSON.stringify(second), events: first.length };
}

function withoutTimes(event: RunEvent): RunEvent {
	if (event.type !== "trials-measured") return event;
	const trials = event.trials.map((trial) =>
		trial.outcome.status === "measured" ? { ...trial, outcome: { ...trial.outcome, latencyMs: 0 } } : trial,
	);
	return { ...event, trials };
}
