/** The forecast in words, printed before the first paid call. */
import type { Settings } from "../domain/job-spec.ts";
import type { Forecast } from "../engine/forecast.ts";
import { plural } from "./output.ts";

/** A price in words. */
export const dollars = (usd: number | null) =>
	usd === null ? "no price known" : `about $${usd < 0.1 ? usd.toFixed(3) : usd.toFixed(2)}`;

/** Two or three lines: cost against the limits, what it buys, what it can prove. */
export function forecastText(forecast: Forecast, settings: Settings, offline: boolean): string[] {
	const limit = settings.limits.calls;
	const cost = offline ? "free (built-in rules)" : dollars(forecast.usd);
	const within = limit === undefined ? "" : ` of at most ${limit}`;
	return [
		`Forecast: about ${forecast.calls}${within} calls, ${cost}; up to ${plural(forecast.generations, "generation")} on ${plural(forecast.trainCases, "train case")}.`,
		forecast.proves,
	];
}
