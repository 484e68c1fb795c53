/**
 * `gepa cases noise <skill>`: v0 against v0 with fresh draws of both sides. Says how much of a difference is chance, how small a
 * gain these cases can prove, and how many more would prove half of it. Promotes nothing.
 */
import { relative } from "node:path";
import { performance } from "node:perf_hooks";
import { readEndpoint } from "../../adapters/endpoint-address.ts";
import { SPLITS, type Split } from "../../domain/case.ts";
import type { MeasuredNoise } from "../../domain/noise.ts";
import { provable, provableWords } from "../../domain/provable.ts";
import { bodyOf } from "../../domain/skill.ts";
import { createContext } from "../../engine/context.ts";
import { expectedDraws } from "../../engine/forecast.ts";
import { forecastNoise, measuredNoise, type NoiseForecast, type NoisePlan, noiseCases } from "../../engine/noise.ts";
import { BudgetError, InputError, InterruptedError } from "../../errors.ts";
import { visible } from "../../report/visible-text.ts";
import type { Resolved } from "../config.ts";
import { confirmStart } from "../confirm.ts";
import { type Flags, readInteger, readWord } from "../flags.ts";
import { dollars } from "../forecast-text.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { findNoise } from "../noise-figures.ts";
import { conductNoise } from "../noise-session.ts";
import { noiseDocument, noiseText } from "../noise-text.ts";
import { paint, plural, printDocument, wrapped } from "../output.ts";
import { type Prepared, prepare } from "../prepare.ts";
import { createProgress } from "../progress.ts";
import { onSoftStop } from "../soft-stop.ts";
import { createWaitNotice } from "../wait-notice.ts";

/** Two draws a side tell the noise of draws from what differs between cases. */
const DEFAULT_REPEATS = 2;
/** A spread of fewer pairs says next to nothing. */
const FEWEST_CASES = 2;

export async function casesNoiseCommand(skill: string, flags: Flags, io: Io): Promise<void> {
	const plan: NoisePlan = {
		split: readWord("--split", flags.split, SPLITS) ?? "validation",
		repeats: readInteger("--repeats", flags.repeats, 1, 20) ?? DEFAULT_REPEATS,
	};
	const config = await loadConfig(skill, flags, io);
	if (config.baseUrl !== null) readEndpoint(config.baseUrl, config.apiKey);
	const prepared = await prepare({
		settings: { ...config.settings, promote: "report" },
		skillsRepo: config.skillsRepo,
		skillsRepoOrigin: config.origins.skillsRepo,
		casesFolder: config.casesFolder,
		offline: config.baseUrl === null,
		cwd: io.cwd,
		resume: null,
		dryRun: config.dryRun,
	});
	const forecast = forecastOf(prepared, plan);
	announce(io, config, prepared, plan, forecast);
	assertAffordable(config, plan, forecast);
	if (config.dryRun) {
		if (io.json) printDocument(io, { dryRun: true, skill, ...plan, forecast });
		else io.out("Dry run: nothing was called and nothing was written.");
		return;
	}
	await confirmStart(io, config, forecast.usd);
	await measure(io, config, prepared, plan);
}

function forecastOf(prepared: Prepared, { split, repeats }: NoisePlan): NoiseForecast {
	const { settings, skill } = prepared;
	const cases = noiseCases(createContext(skill, settings, prepared.cases), split);
	if (cases.length < FEWEST_CASES) {
		throw new InputError({
			message: `${settings.skill} has ${plural(cases.length, `${split} case`)}: noise needs at least ${FEWEST_CASES}`,
			hint: `gepa cases check ${settings.skill} shows how many there are of each split; --split names another one.`,
		});
	}
	return forecastNoise(settings, cases, repeats, bodyOf(skill).length);
}

function announce(
	io: Io,
	config: Resolved,
	{ settings, base, repository, notes }: Prepared,
	{ split, repeats }: NoisePlan,
	forecast: NoiseForecast,
): void {
	const offline = config.baseUrl === null;
	if (offline)
		io.err(paint(io, "yellow", "Simulation: no model endpoint is configured, so the built-in rules answer."));
	io.err(
		wrapped(`${settings.skill} at ${base.commit.slice(0, 10)} in ${repository.root} · ${settings.models.task.name}`),
	);
	const cost = offline ? "free (built-in rules)" : dollars(forecast.usd);
	const limit = settings.limits.calls === undefined ? "" : ` of at most ${settings.limits.calls}`;
	io.err(
		wrapped(
			`Forecast: v0 against itself on ${plural(forecast.cases, `${split} case`)}, ${plural(repeats, "draw")} a side: ${forecast.calls} to ${forecast.mostCalls} calls${limit}, ${cost}; what is stored already is not bought again.`,
		),
	);
	for (const note of notes) if (note.startsWith("uncommitted")) io.err(paint(io, "yellow", `Note: ${note}`));
}

/** @throws BudgetError naming the smallest limit that pays every draw, and the fewer draws that this one might pay */
function assertAffordable({ settings, skill }: Resolved, { repeats }: NoisePlan, forecast: NoiseForecast): void {
	const { calls, trials } = settings.limits;
	const fewer = repeats > 1 ? ", or ask for fewer draws with --repeats 1" : "";
	const error = (limit: string, least: string) =>
		new BudgetError({
			message: `${limit} cannot pay for ${forecast.trials} draws of ${skill}`,
			hint: `The smallest useful limit is ${least}${fewer}.`,
		});
	if (calls !== undefined && calls < forecast.smallest)
		throw error(plural(calls, "call"), `--max-calls ${forecast.smallest}`);
	if (trials !== undefined && trials < forecast.trials)
		throw error(plural(trials, "trial"), `--max-trials ${forecast.trials}`);
}

async function measure(io: Io, config: Resolved, prepared: Prepared, plan: NoisePlan): Promise<void> {
	const hard = new AbortController();
	const stopped = onSoftStop(io, hard);
	let calls = 0;
	const progress = createProgress({
		write: (text) => void process.stderr.write(text),
		animated: io.isTty && !io.json,
		now: () => performance.now(),
		calls: () => calls,
	});
	const waits = createWaitNotice({
		tell: (line) => {
			progress.end();
			io.err(visible(line));
		},
		now: () => performance.now(),
	});
	let isOpen = false;
	let refused = "";
	try {
		const found = await conductNoise({
			config,
			prepared,
			plan,
			soft: io.signal,
			hard: hard.signal,
			onOpen: (resumed) => {
				isOpen = true;
				if (resumed) io.err("Going on with what was measured before.");
			},
			onProgress: (step, state, so) => {
				calls = so;
				progress.show({ ...step, phase: "noise" }, state);
			},
			onNoWorker: () =>
				io.err(paint(io, "yellow", "Note: no worker listens to the queue: start one with gepa worker.")),
			onRefused: (why) => {
				if (why !== refused) io.err(visible(`Note: tasks wait for another worker. Refused by ${why}`));
				refused = why;
			},
			onWait: waits.add,
		});
		progress.end();
		const proves = provesWith(config, prepared, plan.split, measuredNoise({ [plan.split]: found.noise }));
		const shown = { ...found, file: relative(io.cwd, found.file), proves, plan, skill: prepared.settings.skill };
		if (io.json) printDocument(io, noiseDocument(shown));
		else io.out(noiseText(io, shown));
	} catch (error) {
		if (isOpen && !(error instanceof InterruptedError) && !io.signal.aborted)
			io.err("What was paid for is saved: the same command goes on with it.");
		if (isOpen && io.signal.aborted) throw stoppedError(io);
		throw error;
	} finally {
		waits.end();
		progress.end();
		stopped();
	}
}

/** What the cases prove by all that is measured of this text: the other gate's figure may have been stored before. */
function provesWith(config: Resolved, prepared: Prepared, split: Split, fresh: MeasuredNoise) {
	const known = split === "train" ? {} : { ...findNoise(config.resultsFolder, prepared), ...fresh };
	const draws = expectedDraws(prepared.settings, prepared.cases);
	const figure = provable(prepared.cases, prepared.settings, known, draws);
	return { ...figure, sentence: provableWords(figure, prepared.settings.skill) };
}

function stoppedError(io: Io): InterruptedError {
	const reason: unknown = io.signal.reason;
	const signal = reason instanceof InterruptedError && reason.exitCode === 143 ? "SIGTERM" : "SIGINT";
	return new InterruptedError(
		{ message: "stopped; everything that was paid for is saved", hint: "The same command goes on with it." },
		signal,
	);
}
