/**
 * `gepa run <skill>`: the whole loop. Says what it is about to spend and on what, conducts, and prints the result for people
 * or as JSON. Everything but the result goes to stderr.
 */

import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { readEndpoint } from "../../adapters/endpoint-address.ts";
import { findRun, newRunId } from "../../adapters/run-folder.ts";
import { bodyOf } from "../../domain/skill.ts";
import { forecastRun } from "../../engine/forecast.ts";
import { InterruptedError, UsageError } from "../../errors.ts";
import { runResult } from "../../report/json.ts";
import { shellWord } from "../../report/resume-command.ts";
import { terminalReport } from "../../report/terminal.ts";
import { visible } from "../../report/visible-text.ts";
import { announce, assertAffordable, printDryRun } from "../announce.ts";
import type { Resolved } from "../config.ts";
import { confirmStart } from "../confirm.ts";
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { loadConfig } from "../load-config.ts";
import { findNoise } from "../noise-figures.ts";
import { printDocument } from "../output.ts";
import { type Prepared, prepare } from "../prepare.ts";
import { createProgress } from "../progress.ts";
import { conductRun } from "../session.ts";
import { onSoftStop } from "../soft-stop.ts";
import { noSuchRun } from "../stored-run.ts";
import { createWaitNotice } from "../wait-notice.ts";

/** @returns nothing; the exit code is 0 whenever the run came to an end of its own, also when the incumbent is kept. */
export async function runCommand(skill: string, flags: Flags, io: Io): Promise<void> {
	const config = await loadConfig(skill, flags, io);
	if (flags.detach === true && config.queueUrl === null) {
		throw new UsageError({
			message: "--detach needs a queue: without one the run is conducted here",
			hint: "Name one with --queue redis://127.0.0.1:6379, or set GEPA_QUEUE_URL.",
		});
	}
	const offline = config.baseUrl === null;
	// An address or a key that cannot be used is told before anything else is begun.
	if (config.baseUrl !== null) readEndpoint(config.baseUrl, config.apiKey);
	const place = placeOf(config, skill);
	const prepared = await prepare({
		settings: config.settings,
		skillsRepo: config.skillsRepo,
		skillsRepoOrigin: config.origins.skillsRepo,
		casesFolder: config.casesFolder,
		offline,
		cwd: io.cwd,
		resume: config.resume === null ? null : place.run,
		dryRun: config.dryRun,
	});
	const noise = findNoise(config.resultsFolder, prepared);
	const forecast = forecastRun(prepared.settings, prepared.cases, bodyOf(prepared.skill).length, noise);
	announce(io, config, prepared, forecast);
	assertAffordable(config, forecast);
	if (config.dryRun) return printDryRun(io, config, prepared, forecast);
	await confirmStart(io, config, forecast.usd);
	if (config.queueUrl !== null) {
		const { runQueued } = await import("../run-queued.ts");
		return runQueued({ config, prepared, ...place, io, detach: flags.detach === true });
	}

	const hard = new AbortController();
	const stopped = onSoftStop(io, hard);
	const progress = createProgress({
		write: (text) => void process.stderr.write(text),
		animated: io.isTty && !io.json,
		now: () => performance.now(),
		calls: () => paidSoFar,
	});
	const waits = createWaitNotice({
		tell: (line) => {
			progress.end();
			io.err(visible(line));
		},
		now: () => performance.now(),
	});
	let paidSoFar = 0;
	let isOpen = false;
	try {
		const { view } = await conductRun({
			config,
			prepared,
			...place,
			cwd: io.cwd,
			soft: io.signal,
			hard: hard.signal,
			onOpen: (resumed, startsFrom) => {
				isOpen = true;
				io.err(`${resumed ? "Going on with" : "Run"} ${place.run}`);
				if (startsFrom !== null) io.err(`The search starts from the text that run ${startsFrom} left undecided.`);
			},
			onProgress: (step, state, paid) => {
				paidSoFar = paid;
				progress.show(step, state);
			},
			onWait: waits.add,
		});
		waits.end();
		progress.end();
		if (io.json) printDocument(io, { ...runResult(view) });
		else io.out(terminalReport(view, { color: io.color }));
		if (config.push && view.promotion) await push(io, prepared, view.promotion);
	} catch (error) {
		waits.end();
		progress.end();
		// Nothing was begun, so there is nothing to go on with: the error says what to do.
		if (!isOpen && !io.signal.aborted) throw error;
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
	if (!found) throw noSuchRun(config.resultsFolder, config.resume);
	if (found.skill !== skill) throw new UsageError(`run ${found.run} is one of ${found.skill}, not of ${skill}`);
	return { run: found.run, folder: found.folder };
}

function resumeLine(skill: string, run: string, flags: Flags): string {
	const kept = Object.entries(flags).flatMap(([name, value]) => {
		if (["resume", "yes", "dryRun", "open", "format"].includes(name) || value === undefined) return [];
		const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
		if (name === "commit") return value === false ? ["--no-commit"] : [];
		return value === true ? [flag] : value === false ? [] : [flag, shellWord(String(value))];
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
	const why = message.replace(/^not pushed: /i, "").replace(/\.$/, "");
	io.err(pushed ? `Pushed ${promotion.ref}.` : `Not pushed: ${why}. The commit is kept here.`);
}
