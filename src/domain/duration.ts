/** Durations as people write them in a job spec or a flag: `90s`, `10m`, `12h`, `14d`. */
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds; null for what is no duration. */
export function parseDuration(text: string): number | null {
	const found = /^(\d{1,6})([smhd])$/.exec(text);
	return found === null ? null : Number(found[1]) * (UNITS[found[2] ?? ""] ?? 0);
}
