/**
 * The tables of docs/cases.md: how small a gain cases prove, and how often. As a script it prints them: `npm run power-table`.
 */
import { pathToFileURL } from "node:url";
import { type Gate, gatePower, provableAt } from "../../src/domain/power.ts";
import { POWER } from "../../src/domain/provable.ts";
import { levelOf, planLooks } from "../../src/domain/sequential.ts";

const CASES = [6, 9, 12, 15, 20, 30, 40] as const;
const NOISE = [0.1, 0.2, 0.3] as const;
const CHECKS = [1, 3, 5] as const;
const GAINS = [0.05, 0.1, 0.15, 0.2, 0.3] as const;

/** With sealed cases, as the tables have it. */
const LEVEL = levelOf(1, 2);

const gateOf = (cases: number, noise: number, checks: number): Gate => {
	return { cases, units: cases, spread: { noise, check: 1 / checks }, level: LEVEL };
};

const row = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

/** Smallest gain that so many validation and as many sealed cases prove four times in five, by checks a case and noise. */
export function gainTable(): string {
	const columns = CHECKS.flatMap((checks) => NOISE.map((noise) => ({ checks, noise })));
	const head = columns.map(({ checks, noise }) => `${checks} ${checks === 1 ? "check" : "checks"}, noise ${noise}`);
	const lines = CASES.map((cases) => {
		const gains = columns.map(({ checks, noise }) => {
			const gate = gateOf(cases, noise, checks);
			return provableAt([gate, gate], POWER)?.toFixed(2) ?? "–";
		});
		return row([
			cases === 40 ? "40 and more" : cases,
			planLooks(cases, LEVEL)
				.map((look) => look.cases)
				.join(", "),
			...gains,
		]);
	});
	const rule = `|---:|---|${columns.map(() => "---:|").join("")}`;
	return [row(["cases of each split", "looks after", ...head]), rule, ...lines].join("\n");
}

/** How often a true gain passes validation alone, and validation and as many sealed cases: five checks a case. */
export function powerTable(): string {
	const columns = [12, 20, 40].flatMap((cases) => NOISE.map((noise) => ({ cases, noise })));
	const lines = GAINS.map((gain) => {
		const shares = columns.map(({ cases, noise }) => {
			const power = gatePower(gateOf(cases, noise, 5), gain);
			return `${(100 * power).toFixed(0)} / ${(100 * power ** 2).toFixed(0)}`;
		});
		return row([gain.toFixed(2), ...shares]);
	});
	const head = columns.map(({ cases, noise }) => `${cases} cases, noise ${noise}`);
	return [row(["true gain", ...head]), `|---:|${columns.map(() => "---:|").join("")}`, ...lines].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
	process.stdout.write(`${gainTable()}\n\n${powerTable()}\n`);
}
