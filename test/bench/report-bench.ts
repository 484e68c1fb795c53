/**
 * The report of a large run: 100 variants on 10,000 cases, a million trials. Time to write, size, memory of the writer, and the
 * first paint in a browser where one is there. Run by `npm run bench`; the writing happens in a process of its own, whose memory
 * is its own.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { writeReport } from "../../src/cli/write-report.ts";
import { sha256 } from "../../src/domain/digest.ts";
import type { RunEvent, VariantRecord } from "../../src/domain/events.ts";
import { SIDECAR_FILE } from "../../src/domain/report.ts";
import { evolve, openingOf } from "../../src/domain/run-state.ts";
import { parseSkill } from "../../src/domain/skill.ts";
import type { Trial } from "../../src/domain/trial.ts";
import type { DialogueStore } from "../../src/ports/dialogue-store.ts";
import { sampleOutcome } from "../support/sample-cases.ts";
import { sampleRun } from "../support/sample-run.ts";

const VARIANTS = 100;
const COUNTS = { train: 40, validation: 9_940, holdout: 20 };
const OUTPUT = '{"chart":"donut","sort":"value-desc","reason":"Few parts of a whole."}'.padEnd(3_000, " long answer");
const CHROMIUM = "/usr/bin/chromium";

interface Written {
	seconds: number;
	/** Of the processor, which other work on the machine does not lengthen. */
	cpuSeconds: number;
	/** Resident megabytes before and at the most. */
	before: number;
	most: number;
}

/** Prints a section of the bench. `print` gets one line at a time. */
export async function benchReport(print: (line: string) => void): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "gepa-bench-report-"));
	try {
		const script = fileURLToPath(import.meta.url);
		const child = spawnSync(process.execPath, ["--import", "tsx", script, "--write", folder], { encoding: "utf8" });
		if (child.status !== 0) throw new Error(`the writer failed:\n${child.stderr}`);
		const { seconds, cpuSeconds, before, most } = JSON.parse(child.stdout.trim().split("\n").at(-1) ?? "") as Written;
		const size = (name: string) => `${(statSync(join(folder, name)).size / 1e6).toFixed(1)} MB`;
		const cases = COUNTS.train + COUNTS.validation + COUNTS.holdout;
		print(`\n## The report of ${VARIANTS} variants on ${cases.toLocaleString("en")} cases\n`);
		print(
			`written in ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of the processor); the process held ${before} MB with the run in memory, ${most} MB at the most`,
		);
		print(
			`page ${size("report.html")}, report.json ${size("report.json")}, report.md ${size("report.md")}, outputs beside it ${size(SIDECAR_FILE)}`,
		);
		print(
			existsSync(CHROMIUM)
				? `first paint ${await firstPaint(join(folder, "report.html"))}`
				: "no browser: first paint is not measured",
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Of five loads, the middle one. */
async function firstPaint(path: string): Promise<string> {
	const browser = await chromium.launch({
		executablePath: CHROMIUM,
		args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
	});
	try {
		const times: { paint: number; ready: number }[] = [];
		for (let load = 0; load < 5; load++) {
			const page = await browser.newPage();
			await page.goto(pathToFileURL(path).href);
			times.push(
				await page.evaluate<{ paint: number; ready: number }>(
					'({ paint: performance.getEntriesByName("first-contentful-paint")[0].startTime, ready: performance.getEntriesByType("navigation")[0].domComplete })',
				),
			);
			await page.close();
		}
		const middle = times.sort((a, b) => a.paint - b.paint)[2];
		return `${Math.round(middle?.paint ?? 0)} ms, ready to use after ${Math.round(middle?.ready ?? 0)} ms (middle of 5 loads)`;
	} finally {
		await browser.close();
	}
}

const resident = () => Math.round(process.memoryUsage().rss / 1e6);

async function write(folder: string): Promise<Written> {
	const run = sampleRun({ counts: COUNTS });
	let state = run.state;
	const cases = run.cases.filter(({ split }) => split === "validation");
	for (let at = Object.keys(state.variants).length; at < VARIANTS; at++) {
		const id = sha256(`bench ${at}`).slice(0, 12);
		const parent = Object.values(state.variants)[Math.floor(at / 3)] as VariantRecord;
		const variant: VariantRecord = {
			...parent,
			id,
			parents: [parent.id],
			operator: "reflect",
			generation: 1 + Math.floor(at / 12),
		};
		const trials = cases.map((entry, place): Trial => {
			const outcome = sampleOutcome(0.5 + at / 400, id, entry, place, 97);
			return {
				variant: id,
				caseId: entry.id,
				repeat: 0,
				rollout: `${id}-${entry.id}`,
				outcome,
				spend: { taskCalls: 1, judgeCalls: 0, tokens: 900, usd: null },
			};
		});
		const events: RunEvent[] = [
			{ type: "variant-admitted", variant, edits: [], refusals: [], cases: [], purpose: "finalist" },
			{ type: "trials-measured", purpose: "finalist", generation: variant.generation, trials },
		];
		state = events.reduce(evolve, state);
	}
	const store: DialogueStore = {
		find: async (key) => ({ key, replies: [{ text: OUTPUT } as never], complete: true, met: true, lostCalls: 0 }),
		replies: async () => [],
		addReply: async () => undefined,
		finish: async () => undefined,
		close: async () => undefined,
	};
	const before = resident();
	const { base } = openingOf(state);
	const started = performance.now();
	const cpu = process.cpuUsage();
	await writeReport(
		{
			...{ state, skill: parseSkill(Buffer.from(base.bytes, "base64")), cases: run.cases, folder, cwd: folder },
			...{ seconds: 1, harvested: 0, repositoryPath: null },
		},
		store,
	);
	return {
		seconds: (performance.now() - started) / 1000,
		cpuSeconds: (process.cpuUsage(cpu).user + process.cpuUsage(cpu).system) / 1e6,
		before,
		most: Math.round(process.resourceUsage().maxRSS / 1e3),
	};
}

if (process.argv[2] === "--write") process.stdout.write(`${JSON.stringify(await write(process.argv[3] ?? ""))}\n`);
