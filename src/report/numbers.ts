/**
 * How figures are written, once for all renderings, so that the same number reads the same everywhere. Units stand with the
 * figure; what is not known is a dash, never a zero.
 *
 * It must not know a syntax: the results are plain text without anything that needs escaping.
 */
import { DIRECTIONS, type Estimate, type Objective } from "../domain/objective.ts";
import type { ChangeView } from "./view.ts";

export const UNKNOWN = "–";
const MINUS = "−";

/** Names of the objectives for people. */
export const OBJECTIVE_NAMES: Readonly<Record<Objective, string>> = {
	quality: "quality",
	latencyMs: "latency",
	tokens: "tokens",
	retries: "retries",
};

/** Which way is better, as an arrow. */
export function directionArrow(objective: Objective): string {
	return DIRECTIONS[objective] === "up" ? "↑" : "↓";
}

/** A whole number with thousands set apart by commas, whatever the locale. */
export function formatCount(value: number): string {
	const digits = Math.abs(Math.round(value))
		.toString()
		.replace(/\B(?=(\d{3})+$)/g, ",");
	return value <= -0.5 ? `${MINUS}${digits}` : digits;
}

/** A value of an objective with its unit: quality 0.861, latency 420 ms or 12.4 s, tokens 1,234, retries 0.15. */
export function formatValue(objective: Objective, value: number | null): string {
	if (value === null) return UNKNOWN;
	if (value < 0) return `${MINUS}${formatValue(objective, -value)}`;
	switch (objective) {
		case "quality":
			return value.toFixed(3);
		case "latencyMs":
			return value < 9_999.5 ? `${formatCount(value)} ms` : `${(value / 1000).toFixed(1)} s`;
		case "tokens":
			return formatCount(value);
		case "retries":
			return value.toFixed(2);
	}
}

/** A change with its sign: +0.250, −120 ms; a change that rounds to nothing has none. */
export function formatChange(objective: Objective, value: number | null): string {
	if (value === null) return UNKNOWN;
	const size = formatValue(objective, Math.abs(value));
	if (!/[1-9]/.test(size)) return size;
	return value > 0 ? `+${size}` : `${MINUS}${size}`;
}

/** `low to high`; a dash when there is no interval. */
export function formatInterval(objective: Objective, estimate: Pick<Estimate, "low" | "high">): string {
	if (estimate.low === null || estimate.high === null) return UNKNOWN;
	return range(formatValue(objective, estimate.low), formatValue(objective, estimate.high));
}

export function formatChangeInterval(change: Pick<ChangeView, "objective" | "low" | "high">): string {
	if (change.low === null || change.high === null) return UNKNOWN;
	return range(formatChange(change.objective, change.low), formatChange(change.objective, change.high));
}

/** `1,065 to 1,404 ms`: a unit that both ends share is said once. */
function range(low: string, high: string): string {
	const unit = / \D+$/.exec(low)?.[0] ?? "";
	return `${unit !== "" && high.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high}`;
}

/** Marks that need no colour to be told apart. */
export const SAYS_MARKS: Readonly<Record<ChangeView["says"], { glyph: string; word: string }>> = {
	better: { glyph: "▲", word: "better" },
	worse: { glyph: "▼", word: "worse" },
	same: { glyph: "=", word: "the same" },
	unclear: { glyph: "~", word: "unclear" },
	unknown: { glyph: "?", word: "not known" },
};

/** US dollars: cents above one dollar, four decimals below; a dash without a price. */
export function formatUsd(value: number | null): string {
	if (value === null) return UNKNOWN;
	return `$${value >= 1 || value === 0 ? value.toFixed(2) : value.toFixed(4)}`;
}

/** 42 s, 3 min 20 s, 2 h 5 min. */
export function formatSeconds(seconds: number): string {
	const whole = Math.max(0, Math.round(seconds));
	if (whole < 60) return `${seconds > 0 && seconds < 10 ? seconds.toFixed(1) : whole} s`;
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
	return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A probability: 0.031, or < 0.001. */
export function formatP(p: number | null): string {
	if (p === null) return UNKNOWN;
	return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

/** A share as a whole percentage: 56 %; with a sign where it is a change. */
export function formatPercent(share: number, signed = false): string {
	const whole = Math.round(share * 100);
	const sign = whole < 0 ? MINUS : signed && whole > 0 ? "+" : "";
	return `${sign}${formatCount(Math.abs(whole))} %`;
}

/** `1 case`, `20 cases`. */
export function plural(count: number, one: string, many = `${one}s`): string {
	return `${formatCount(count)} ${count === 1 ? one : many}`;
}
