/**
 * `gepa run <skill>`: the whole loop. Says what it is about to spend and on what, conducts, and prints the result for people
 * or as JSON. Everything but the result goes to stderr.
 */

import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline/promises";
import { setTimeout as delay } from "node:timers/promises";
import { readEndpoint } from "../../adapters/endpoint-address.ts";
import { findRun, newRunId } from "../../adapters/run-folder.ts";
import { bodyOf } from "../../domain/skill.ts";
import { type Forecast, forecastRun } from "../../engine/forecast.ts";
import { BudgetError, InputError, InterruptedError, UsageError } from "../../errors.ts";
import { runResult } from "../../report/json.ts";
import { terminalReport } from "../../report/terminal.ts";
import type { Resolved } from "../config.ts";
import type { Flags } from "../flags.ts";
import { forecastText } from "../forecast-text.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { paint, printDocument } from "../output.ts";
import { type Prepared, prepare } from "../prepare.ts";
import { createProgress } from "../progress.ts";
import { conductRun } from "../session.ts";

/** How long calls under way may take to end after the first signal, in milliseconds. */
const GRACE_MS = 20_000;

/** @returns nothing; the exit code is 0 whenever the run came to an end of its own, also when the incumbent is kept. */
export async function runCommand(skill: string, flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(skill, flags, io);
	const offline = config.baseUrl === null;
	// An address or a key that cannot be used is told before anything else is begun.
	if (config.baseUrl !== null) readEndpoint(config.baseUrl, config.apiKey);
	const place = placeOf(config, skill);
	const prepared = await prepare({
		settings: config.settings,
		skillsRepo: config.skillsRepo,
		casesFolder: config.casesFolder,
		offline,
		cwd: io.cwd,
		resume: config.resume === null ? null : place.run,
		dryRun: config.dryRun,
	});
	const forecast = forecastRun(prepared.settings, prepared.cases, bodyOf(prepared.skill).length);
	announce(io, config, prepared, forecast);
	assertAffordable(config, forecast);
	if (config.dryRun) return dryRun(io, config, prepared, forecast);
	await confirm(io, config, forecast);

	const hard = new AbortController();
	const stopped = onSoftStop(io, hard);
	const progress = createProgress({
		write: (text) => void process.stderr.write(text),
		animated: io.isTty && !io.json,
		now: () => performance.now(),
		calls: () => paidSoFar,
	});
	let paidSoFar = 0;
	try {
		const { view } = await conductRun({
			config,
			prepared,
			...place,
			cwd: io.cwd,
			soft: io.signal,
			hard: hard.signal,
			onOpen: (resumed) => io.err(`${resumed ? "Going on with" : "Run"} ${place.run}`),
			onProgress: (step, state, paid) => {
				paidSoFar = paid;
				progress.show(step, state);
			},
			onNoWorker: () =>
				io.err(
					paint(
						io,
						"yellow",
						"Note: no worker listens to the queue, so nothing happens until one does. Start it with: gepa worker --queue …",
					),
				),
			onWait: ({ ms, attempt, message }) => {
				progress.end();
				io.err(`waiting ${(ms / 1000).toFixed(1)} s before attempt ${attempt + 1}: ${message}`);
			},
		});
		progress.end();
		if (io.json) printDocument(io, { ...runResult(view) });
		else io.out(terminalReport(view, { color: io.color }));
		if (config.push && view.promotion) await push(io, prepared, view.promotion);
	} catch (error) {
		progress.end();
		if (error instanceof InterruptedError || io.signal.aborted) throw interrupted(io, skill, place.run, flags);
		io.err(`What was paid for is saved. Go on with: ${resumeLine(skill, place.run, flags)}`);
		throw error;
	} finally {
		stopped();
	}
}

/** The folder of a new run, or of the one to go on with. */
function placeOf(config: Resolved, skill: string): { run: string; folder: string } {
	if (config.resume === null) {
		const run = newRunId(new Date());
		return { run, folder: join(config.resultsFolder, skill, run) };
	}
	const found = findRun(config.resultsFolder, config.resume);
	if (!found)
		throw new InputError({
			message: `there is no run ${config.resume} in ${config.resultsFolder}`,
			hint: "gepa runs list shows what is there.",
		});
	if (found.skill !== skill) throw new UsageError(`run ${found.run} is one of ${found.skill}, not of ${skill}`);
	return { run: found.run, folder: found.folder };
}

function announce(io: Io, config: Resolved, prepared: Prepared, forecast: Forecast): void {
	const offline = config.baseUrl === null;
	if (offline)
		io.err(
			paint(
				io,
				"yellow",
				"Simulation: no model endpoint is configured, so the built-in rules answer instead of a language model.",
			),
		);
	const { task, reflection } = prepared.settings.models;
	const models = offline ? task.name : `${task.name}, reflection by ${reflection.name}`;
	io.err(
		`${prepared.settings.skill} at ${prepared.base.commit.slice(0, 10)} in ${prepared.repository.root} · ${models} · ${prepared.cases.length} cases`,
	);
	for (const line of forecastText(forecast, prepared.settings, offline)) io.err(line);
	for (const note of prepared.notes) io.err(paint(io, "yellow", `Note: ${note}`));
}

/** A budget that cannot pay one generation and its proof is refused, with the smallest that can. */
function assertAffordable(config: Resolved, forecast: Forecast): void {
	const limit = config.settings.limits.calls;
	if (limit !== undefined && limit < forecast.smallest) {
		throw new BudgetError({
			message: `${limit} calls cannot pay for one generation and its proof`,
			hint: `The smallest useful limit for these cases is about --max-calls ${forecast.smallest}.`,
		});
	}
}

function dryRun(io: Io, config: Resolved, prepared: Prepared, forecast: Forecast): void {
	const target =
		prepared.settings.promote === "report"
			? "nothing is committed"
			: `a proven winner is committed to ${prepared.settings.promote === "branch" ? `gepa/${config.skill}` : (prepared.base.currentRef ?? "no branch")} of ${prepared.repository.root}`;
	if (io.json) {
		printDocument(io, { dryRun: true, skill: config.skill, forecast, promotes: target, path: prepared.base.path });
		return;
	}
	io.out(
		`Dry run: nothing was called and nothing was written.\nThe run would measure v0 on ${forecast.trainCases} train cases, search, prove on validation and confirm on sealed cases; ${target}.`,
	);
}

/** Asks where money is at stake and a person is there; without one, a forecast beyond the limit in USD is refused. */
async function confirm(io: Io, config: Resolved, forecast: Forecast): Promise<void> {
	if (config.yes || config.baseUrl === null) return;
	const { usd } = config.settings.limits;
	const beyond = usd !== undefined && forecast.usd !== null && forecast.usd > usd;
	if (!io.isTty) {
		if (!beyond) return;
		throw new BudgetError({
			message: `the forecast of $${forecast.usd?.toFixed(2)} is beyond the limit of $${usd}`,
			hint: "Raise --max-usd, lower --max-calls, or accept with --yes: the limit is kept in any case.",
		});
	}
	const question = createInterface({ input: process.stdin, output: process.stderr });
	try {
		const answer = await question.question(
			beyond
				? `The forecast is beyond --max-usd ${usd}; the run will stop at the limit. Start? [y/N] `
				: "Start? [y/N] ",
			{ signal: io.signal },
		);
		if (!/^y(es)?$/i.test(answer.trim()))
			throw new UsageError({ message: "not started", hint: "--yes starts without asking." });
	} finally {
		question.close();
	}
}

/** On the first signal: says so, and cuts the calls under way when the grace is over. Returns how to stop listening. */
function onSoftStop(io: Io, hard: AbortController): () => void {
	const listen = () => {
		io.err("\nStopping: calls under way are finished and kept. Ctrl-C again ends at once.");
		void delay(GRACE_MS, undefined, { ref: false }).then(() => hard.abort());
	};
	io.signal.addEventListener("abort", listen, { once: true });
	return () => io.signal.removeEventListener("abort", listen);
}

function resumeLine(skill: string, run: string, flags: Flags): string {
	const kept = Object.entries(flags).flatMap(([name, value]) => {
		if (["resume", "yes", "dryRun", "open", "format"].includes(name) || value === undefined) return [];
		const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
		if (name === "commit") return value === false ? ["--no-commit"] : [];
		return value === true
			? [flag]
			: value === false
				? []
				: [flag, /^[\w./:@-]+$/.test(String(value)) ? String(value) : JSON.stringify(value)];
	});
	return ["npx gepa run", skill, "--resume", run, ...kept].join(" ");
}

function interrupted(io: Io, skill: string, run: string, flags: Flags): InterruptedError {
	const reason: unknown = io.signal.reason;
	const signal = reason instanceof InterruptedError && reason.exitCode === 143 ? "SIGTERM" : "SIGINT";
	return new InterruptedError(
		{ message: "stopped; everything that was paid for is saved", hint: `Go on with: ${resumeLine(skill, run, flags)}` },
		signal,
	);
}

async function push(io: Io, prepared: Prepared, promotion: { ref: string; tag: string }): Promise<void> {
	const { pushed, message } = await prepared.repository.push(promotion.ref, promotion.tag);
	io.err(pushed ? `Pushed ${promotion.ref}.` : `Not pushed: ${message}. The commit is kept here.`);
}
