/**
 * What a run says before the first paid call: on what it works, what that will cost, and what a person should know. Knows
 * configuration and forecast; touches nothing.
 */
import type { Case } from "../domain/case.ts";
import { ROLES } from "../domain/dialogue.ts";
import type { Settings } from "../domain/job-spec.ts";
import type { Forecast } from "../engine/forecast.ts";
import { BudgetError } from "../errors.ts";
import type { Resolved } from "./config.ts";
import { forecastText } from "./forecast-text.ts";
import type { Io } from "./io.ts";
import { paint, plural, printDocument, wrapped } from "./output.ts";
import type { Prepared } from "./prepare.ts";

export function announce(io: Io, config: Resolved, prepared: Prepared, forecast: Forecast): void {
	const offline = config.baseUrl === null;
	if (offline)
		io.err(
			paint(
				io,
				"yellow",
				wrapped(
					"Simulation: no model endpoint is configured, so the built-in rules answer instead of a language model.",
				),
			),
		);
	const { settings, base, baseVersion, repository, cases } = prepared;
	const { task, reflection } = settings.models;
	const models = offline ? task.name : `${task.name}, reflection by ${reflection.name}`;
	const commit = base.commit.slice(0, 10);
	io.err(wrapped(`${settings.skill} at ${commit} in ${repository.root} · ${models} · ${plural(cases.length, "case")}`));
	if (baseVersion !== null) io.err(`v0 is the text at ${commit} (${baseVersion}), the incumbent of this run.`);
	for (const line of forecastText(forecast, settings, offline)) io.err(wrapped(line));
	for (const note of [...prepared.notes, ...moneyNotes(config, prepared, forecast)])
		io.err(paint(io, "yellow", `Note: ${note}`));
}

/** What cannot be kept, or will be reached, of a limit in USD. */
function moneyNotes({ baseUrl, settings, origins }: Resolved, { cases }: Prepared, forecast: Forecast): string[] {
	const { usd } = settings.limits;
	// The default limit is nobody's wish, so it is no news that it cannot be kept.
	if (baseUrl === null || usd === undefined || origins["limits.usd"] === "default") return [];
	const unpriced = unpricedModels(settings, cases);
	if (unpriced.length > 0)
		return [
			`no price is known for ${unpriced.join(" and ")}: the limit of $${usd} cannot be kept. Add a price to the job spec, or limit --max-calls.`,
		];
	return isBeyond(settings, forecast)
		? [`the forecast of $${forecast.usd?.toFixed(2)} is beyond the limit of $${usd}: the run would stop there.`]
		: [];
}

function unpricedModels({ models }: Settings, cases: readonly Case[]): string[] {
	const judges = cases.some(({ checks }) => checks.some(({ type }) => type === "rubric"));
	const roles = ROLES.filter((role) => role !== "judge" || judges);
	return [...new Set(roles.filter((role) => models[role].price === undefined).map((role) => models[role].name))];
}

/** Whether the run is expected to cost more than its limit in USD. */
export function isBeyond({ limits }: Pick<Settings, "limits">, { usd }: Forecast): boolean {
	return limits.usd !== undefined && usd !== null && usd > limits.usd;
}

/** A budget that cannot pay one generation and its proof is refused, with the smallest that can. */
export function assertAffordable(config: Resolved, forecast: Forecast): void {
	const { calls, trials } = config.settings.limits;
	const { smallest, smallestTrials } = forecast;
	const tooSmall = (limit: number, unit: string, flag: string, least: number) =>
		new BudgetError({
			message: `${plural(limit, unit)} cannot pay for one generation and its proof`,
			hint: `The smallest useful limit for these cases is ${flag} ${least}.`,
		});
	if (calls !== undefined && calls < smallest && forecast.generations === 0)
		throw tooSmall(calls, "call", "--max-calls", smallest);
	if (trials !== undefined && trials < smallestTrials) throw tooSmall(trials, "trial", "--max-trials", smallestTrials);
}

/** The result of `--dry-run`. */
export function printDryRun(io: Io, config: Resolved, prepared: Prepared, forecast: Forecast): void {
	const { settings, base, repository } = prepared;
	const branch = settings.promote === "branch" ? `gepa/${config.skill}` : (base.currentRef ?? "no branch");
	const target =
		settings.promote === "report"
			? "nothing is committed"
			: `a proven winner is committed to ${branch} of ${repository.root}`;
	const beyondUsd = isBeyond(settings, forecast);
	if (io.json) {
		const cost = config.baseUrl === null ? 0 : forecast.usd;
		const document = { dryRun: true, skill: config.skill, forecast: { ...forecast, usd: cost }, beyondUsd };
		printDocument(io, { ...document, promotes: target, path: base.path });
		return;
	}
	const stops = beyondUsd
		? `\nThe forecast of $${forecast.usd?.toFixed(2)} is beyond --max-usd ${settings.limits.usd}: the run would stop at the limit, and needs --yes to start without asking.`
		: "";
	io.out(
		`Dry run: nothing was called and nothing was written.\nThe run would measure v0 on ${plural(forecast.trainCases, "train case")}, search, prove on validation and confirm on sealed cases; ${target}.${stops}`,
	);
}
