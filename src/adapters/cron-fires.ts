/**
 * When a schedule is due, by the same rules that the queue goes by. Knows cron patterns and time zones; must not know what is
 * scheduled.
 */
import { CronExpressionParser } from "cron-parser";

/** Why a pattern or a zone cannot be used; null when both can. */
export function cronProblem(pattern: string, timeZone: string): string | null {
	try {
		new Intl.DateTimeFormat("en", { timeZone });
	} catch {
		return `${JSON.stringify(timeZone)} is no time zone; write it like Europe/Paris or UTC`;
	}
	if (pattern.trim().split(/\s+/).length !== 5) {
		return `${JSON.stringify(pattern)} is no pattern of five fields: minute, hour, day of the month, month, day of the week`;
	}
	try {
		CronExpressionParser.parse(pattern, { tz: timeZone }).next();
		return null;
	} catch (error) {
		return `${JSON.stringify(pattern)} is no cron pattern: ${(error as Error).message}`;
	}
}

/** The next times after a moment, in order. */
export function nextFires(pattern: string, timeZone: string, after: Date, count: number): Date[] {
	const times = CronExpressionParser.parse(pattern, { tz: timeZone, currentDate: after });
	return Array.from({ length: count }, () => times.next().toDate());
}

/** All times after one moment up to another, at most so many. */
export function firesBetween(pattern: string, timeZone: string, after: Date, until: Date, most: number): Date[] {
	const times = CronExpressionParser.parse(pattern, { tz: timeZone, currentDate: after });
	const found: Date[] = [];
	while (found.length < most) {
		const next = times.next().toDate();
		if (next.getTime() > until.getTime()) break;
		found.push(next);
	}
	return found;
}
