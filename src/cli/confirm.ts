/**
 * The last question before money is spent. Knows the forecast and the limit; must not know what is bought.
 */
import { createInterface } from "node:readline/promises";
import { BudgetError, UsageError } from "../errors.ts";
import type { Resolved } from "./config.ts";
import type { Io } from "./io.ts";

/**
 * Asks where money is at stake and a person is there; without one, a forecast beyond the limit in USD is refused.
 * @param forecastUsd null when no price is known
 * @throws UsageError when the person says no, BudgetError when nobody can be asked
 */
export async function confirmStart(io: Io, config: Resolved, forecastUsd: number | null): Promise<void> {
	if (config.yes || config.baseUrl === null) return;
	const { usd } = config.settings.limits;
	const beyond = usd !== undefined && forecastUsd !== null && forecastUsd > usd;
	if (!io.isTty) {
		if (!beyond) return;
		throw new BudgetError({
			message: `the forecast of $${forecastUsd.toFixed(2)} is beyond the limit of $${usd}`,
			hint: "Raise --max-usd, lower --max-calls, or accept with --yes: the limit is kept in any case.",
		});
	}
	const question = createInterface({ input: process.stdin, output: process.stderr });
	try {
		const answer = await question.question(
			beyond ? `The forecast is beyond --max-usd ${usd}; it will stop at the limit. Start? [y/N] ` : "Start? [y/N] ",
			{ signal: io.signal },
		);
		if (!/^y(es)?$/i.test(answer.trim()))
			throw new UsageError({ message: "not started", hint: "--yes starts without asking." });
	} finally {
		question.close();
	}
}
