/** The digest of a night, for people and for programs. Pure text; knows no file. */
import { isQuiet, type Night, type NightSkill, NOTHING_CHANGED, spentIn } from "../domain/night.ts";
import { plural } from "./output.ts";

/**
 * The name of a night's files: its date in the zone of the schedule; other schedules than `nightly` are named, and a night that
 * was begun by hand has its time, too.
 */
export function nightName(night: Night, timeZone: string): string {
	const date = dateIn(night.dueAt, timeZone);
	const time = new Date(night.dueAt).toISOString().slice(11, 19).replaceAll(":", "");
	const day = night.byHand ? `${date}-${time}Z` : date;
	return night.schedule === "nightly" ? day : `${day}-${night.schedule}`;
}

/** `2026-11-30` */
function dateIn(at: number, timeZone: string): string {
	return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(at);
}

/** `2026-11-30 02:15 GMT+1` */
export function timeIn(at: number, timeZone: string): string {
	const parts = {
		timeZone,
		hour: "2-digit",
		minute: "2-digit",
		hourCycle: "h23",
		timeZoneName: "shortOffset",
	} as const;
	const time = new Intl.DateTimeFormat("en-GB", parts).format(at);
	return `${dateIn(at, timeZone)} ${time}`;
}

const HEADLINES: readonly NightSkill["outcome"][] = [
	"promoted",
	"confirmed",
	"undecided",
	"kept",
	"stopped",
	"failed",
	"skipped",
	"unchanged",
];

/** `2 promoted, 1 unchanged` */
export function nightSummary({ skills }: Night): string {
	const counts = HEADLINES.flatMap((outcome) => {
		const count = skills.filter((entry) => entry.outcome === outcome).length;
		return count === 0 ? [] : [`${count} ${outcome}`];
	});
	return counts.length === 0 ? "nothing done" : counts.join(", ");
}

export function nightMarkdown(night: Night, timeZone: string): string {
	const head = `# Night of ${timeIn(night.dueAt, timeZone)} (${night.schedule})\n`;
	if (isQuiet(night)) {
		const told = night.skills.filter(({ reason }) => reason !== NOTHING_CHANGED);
		const lines = told.map(({ skill, reason }) => `- ${skill}: ${cell(reason)}\n`).join("");
		return `${head}\nNothing changed in ${plural(night.skills.length, "skill")}; nothing was run.\n${lines === "" ? "" : `\n${lines}`}`;
	}
	const spent = spentIn(night);
	const usd = spent.usd === null ? "no price known" : `$${spent.usd.toFixed(2)}`;
	const took = Math.max(0, ((night.endedAt ?? night.startedAt) - night.startedAt) / 60_000);
	const totals = `${nightSummary(night)}. ${spent.calls} calls, ${spent.tokens.toLocaleString("en")} tokens, ${usd}, ${took.toFixed(1)} minutes.`;
	const rows = night.skills.map(
		({ skill, outcome, run, reason, spend }) =>
			`| ${skill} | ${outcome} | ${run ?? ""} | ${spend?.calls ?? ""} | ${cell(reason)} |`,
	);
	const note = night.reason === "" ? "" : `${night.reason}\n\n`;
	return `${head}\n${totals}\n\n${note}| skill | outcome | run | calls | reason |\n|---|---|---|---:|---|\n${rows.join("\n")}\n`;
}

export function nightDocument(night: Night, timeZone: string): string {
	const times = {
		due: new Date(night.dueAt).toISOString(),
		timeZone,
		summary: nightSummary(night),
		quiet: isQuiet(night),
	};
	return `${JSON.stringify({ ...night, ...times, spend: spentIn(night) }, null, 2)}\n`;
}

/** Text of errors and models must not end a cell. */
function cell(text: string): string {
	return text
		.replace(/[|\\`<>]/g, "\\$&")
		.replace(/\s+/g, " ")
		.slice(0, 300);
}
