/** What somebody meets in the first hour: runs that were cut off, names that are nearly right, repositories that are not the one meant. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { cli, ensureBuilt, startCli, until } from "../support/cli.ts";
import { filesFolder } from "../support/files-folder.ts";
import { freePort } from "../support/redis-server.ts";
import { latestRun, runsOf, storedReplies } from "../support/run-files.ts";
import { createTempRepo } from "../support/temp-repo.ts";

const SKILL_TEXT =
	"---\nname: alpha\ndescription: Answers.\n---\n\n# Alpha\n\n<!-- kernel:begin id=a -->\nBe safe.\n<!-- kernel:end id=a -->\n\n## Rules\n\n- Say hello.\n";
const CASES = `schemaVersion: 1\ncases:\n${Array.from(
	{ length: 12 },
	(_, at) =>
		`  - {id: c-${at}, split: ${["train", "validation", "holdout"][at % 3]}, input: "say ${at}", checks: [{type: contains, value: "${at}", note: "Say the number."}]}\n`,
).join("")}`;

function workspace(...skills: string[]): string {
	const files = skills.flatMap((skill) => [
		[`eval-cases/${skill}/cases.yaml`, CASES] as const,
		[`eval-cases/${skill}/seed/SKILL.md`, SKILL_TEXT.replace("name: alpha", `name: ${skill}`)] as const,
	]);
	return filesFolder(Object.fromEntries(files));
}

/** An endpoint that answers the first calls and leaves the others waiting. */
async function stuckEndpoint(answers: number): Promise<string> {
	let count = 0;
	const server = createServer((request, response) => {
		request.resume().on("end", () => {
			if (count++ >= answers) return;
			const message = { role: "assistant", content: "nothing" };
			const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
			response.setHeader("content-type", "application/json");
			response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage }));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

beforeAll(ensureBuilt, 180_000);

describe("a run that was cut off in its first step", () => {
	async function cutOff() {
		const cwd = workspace("alpha");
		const url = await stuckEndpoint(2);
		const args = ["run", "alpha", "--base-url", url, "--model", "my-model", "--no-commit"];
		const running = startCli(args, { cwd });
		await until("two replies are stored", () => {
			const [run] = runsOf(cwd, "alpha");
			return run !== undefined && storedReplies(join(cwd, "results", "alpha", run)).length === 2;
		});
		running.kill("SIGKILL");
		await running.ended;
		return { cwd, url, run: latestRun(cwd, "alpha").run };
	}

	it("shows the calls that are paid for, no dollars, no page that is not there, and the command that goes on", async () => {
		const { cwd, run } = await cutOff();
		const list = await cli(["runs", "list"], { cwd });
		expect(list.stdout).toMatch(/open\s+2 so far/);
		expect(list.stderr).toContain(`npx gepa run alpha --resume ${run} --model my-model --no-commit`);
		const shown = await cli(["runs", "show", run], { cwd });
		expect(shown.code).toBe(0);
		expect(shown.stdout).toContain("2 calls paid for so far");
		expect(shown.stdout).toContain(`gepa run alpha --resume ${run} --model my-model --no-commit\n`);
		expect(shown.stdout).toContain("with the same --base-url or OPENAI_BASE_URL as before");
		expect(shown.stdout).not.toMatch(/\$0\.00|report\.html/);
		expect(JSON.parse((await cli(["runs", "show", run, "--json"], { cwd })).stdout)).toMatchObject({
			reportPath: null,
			spend: { modelCalls: 2, usd: null },
		});
	});

	it("does not go on under other settings, names them, and hints at another command than the one that failed", async () => {
		const { cwd, url, run } = await cutOff();
		const other = ["run", "alpha", "--resume", run, "--base-url", url, "--model", "other", "--no-commit"];
		const wrong = await cli(other, { cwd });
		expect(wrong.code).toBe(6);
		expect(wrong.stderr).toContain("models.task.name was my-model, is other");
		expect(wrong.stderr).toContain(`gepa run alpha --resume ${run} --model my-model`);
		expect(wrong.stderr).not.toContain("What was paid for is saved");
		const bare = await cli(["run", "alpha", "--resume", run], { cwd });
		expect(bare.code).toBe(6);
		expect(bare.stderr).toContain("there was a model endpoint, now there is none");
	});
});

describe("names that are nearly right", () => {
	it("are answered with the one that was meant", async () => {
		const cwd = workspace("alpha");
		for (const args of [
			["run", "alpah"],
			["cases", "list", "alpah"],
			["skills", "show", "alpah"],
		]) {
			const { code, stderr } = await cli(args, { cwd });
			expect([code, stderr]).toEqual([3, expect.stringContaining("Did you mean alpha?")]);
		}
	});

	it("of runs are answered with all that fit", async () => {
		const ids = ["20260101-000000-aaaa", "20260101-000000-bbbb"];
		const cwd = filesFolder(Object.fromEntries(ids.map((id) => [`results/alpha/${id}/events.jsonl`, ""])));
		for (const args of [
			["runs", "show", "20260101"],
			["report", "20260101"],
			["runs", "show", "2"],
		]) {
			const { code, stderr } = await cli(args, { cwd });
			expect(code).toBe(3);
			for (const id of ids) expect(stderr).toContain(id);
		}
	});
});

describe("the demo repository", () => {
	it("gets a second skill in a commit of its own, and nothing on a dry run", async () => {
		const cwd = workspace("alpha", "beta");
		const repo = createTempRepo([]);
		onTestFinished(() => repo.remove());
		const demo = join(cwd, ".gepa", "skills");
		expect((await cli(["run", "alpha", "--max-calls", "600"], { cwd })).code).toBe(0);
		const before = repo.git(["rev-list", "--count", "main"], demo);
		expect((await cli(["run", "beta", "--dry-run"], { cwd })).code).toBe(0);
		expect(repo.git(["rev-list", "--count", "main"], demo)).toBe(before);
		writeFileSync(join(demo, "skills", "alpha", "SKILL.md"), `${SKILL_TEXT}edited\n`);
		const { code, stderr } = await cli(["run", "beta", "--no-commit"], { cwd });
		expect(code, stderr).toBe(0);
		expect(repo.git(["rev-list", "--count", "main"], demo)).toBe(String(Number(before) + 1));
		expect(repo.git(["log", "-1", "--format=%an", "--name-only"], demo)).toBe("gepa demo\n\nskills/beta/SKILL.md");
		expect(repo.git(["status", "--porcelain"], demo)).toBe(" M skills/alpha/SKILL.md");
	});

	it("is said not to be used while a skills repository is configured", async () => {
		const cwd = workspace("alpha");
		const repo = createTempRepo(["demo"]);
		onTestFinished(() => repo.remove());
		for (const command of ["run", "verify"]) {
			const { code, stderr } = await cli([command, "alpha"], { cwd, env: { GEPA_SKILLS_REPO: repo.root } });
			expect(code).toBe(3);
			expect(stderr).toContain("the demo repository, which is not used while a skills repository is configured");
			expect(stderr).toContain("GEPA_SKILLS_REPO");
		}
	});
});

describe("before a run", () => {
	it("a limit in dollars that cannot be kept for want of a price is told", async () => {
		const cwd = workspace("alpha");
		const args = ["run", "alpha", "--dry-run", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"];
		expect((await cli([...args, "--max-usd", "2"], { cwd })).stderr).toContain(
			"no price is known for m: the limit of $2 cannot be kept",
		);
		expect((await cli(args, { cwd })).stderr).not.toContain("cannot be kept");
	});

	it("a forecast beyond the limit in dollars is told by a dry run", async () => {
		const cwd = workspace("alpha");
		const spec =
			"schemaVersion: 1\nskill: alpha\nmodels: {task: {name: m, price: {inputPerMTok: 9, outputPerMTok: 9}}}\n";
		writeFileSync(join(cwd, "job.yaml"), spec);
		const args = ["run", "alpha", "--dry-run", "--job", "job.yaml", "--base-url", "http://127.0.0.1:9/v1"];
		const beyond = await cli([...args, "--max-usd", "0.001"], { cwd });
		expect(beyond.stdout).toContain("is beyond --max-usd 0.001");
		expect((await cli([...args, "--max-usd", "100"], { cwd })).stdout).not.toContain("beyond");
	});

	it("uncommitted edits are said not to be measured when nothing is promoted", async () => {
		const cwd = workspace("demo");
		const repo = createTempRepo(["demo"]);
		onTestFinished(() => repo.remove());
		const args = ["run", "demo", "--dry-run", "--skills-repo", repo.root];
		expect((await cli(args, { cwd })).stderr).not.toContain("uncommitted");
		repo.write("skills/demo/SKILL.md", "# Edited\n");
		expect((await cli(args, { cwd })).stderr).toMatch(
			/uncommitted changes of skills\/demo\/SKILL\.md are not measured: the run reads commit [0-9a-f]{10}/,
		);
	});

	it("a Redis that is away leaves no run behind", async () => {
		const cwd = workspace("alpha");
		const queue = `redis://127.0.0.1:${await freePort()}`;
		const { code, stderr } = await cli(["run", "alpha", "--queue", queue], { cwd });
		expect(code).toBe(75);
		expect(stderr).not.toContain("What was paid for is saved");
		expect(existsSync(join(cwd, "results"))).toBe(false);
		const worker = await cli(["worker", "--queue", queue], { cwd });
		expect(worker.stderr).toContain("hint: Start it");
		expect(worker.stderr).not.toContain("without --queue");
	});
});

describe("after a promotion", () => {
	it("undo works from any folder, the next run says what v0 is, and every format is one JSON document with --json", async () => {
		const cwd = filesFolder({});
		cpSync(new URL("../../eval-cases", import.meta.url), join(cwd, "eval-cases"), { recursive: true });
		const first = await cli(["run", "dataviz", "--max-calls", "1200"], { cwd });
		expect(first.code, first.stderr).toBe(0);
		expect(first.stderr).not.toContain("v0 is the text at");
		expect(first.stdout).toContain("free");
		const { folder } = latestRun(cwd, "dataviz");
		const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
		expect(report.promotion).not.toBeNull();
		const demo = join(cwd, ".gepa", "skills");
		const undo = `git -C ${demo} revert ${report.promotion.commit}`;
		expect(first.stdout).toContain(undo);
		expect(readFileSync(join(folder, "report.html"), "utf8")).toContain(undo);
		expect((await cli(["runs", "show", "dataviz"], { cwd })).stdout).toContain(undo);
		for (const format of ["md", "html"]) {
			const { stdout } = await cli(["report", "dataviz", "--format", format, "--json"], { cwd });
			expect(JSON.parse(stdout)).toMatchObject({
				schemaVersion: 1,
				format,
				content: expect.stringContaining("dataviz"),
			});
		}
		const again = await cli(["report", "dataviz", "--format", "json", "--json"], { cwd });
		expect(JSON.parse(again.stdout)).toMatchObject({ run: report.run, verdict: report.verdict, groups: report.groups });
		const next = await cli(["run", "dataviz", "--dry-run"], { cwd });
		expect(next.stderr).toMatch(/v0 is the text at [0-9a-f]{10} \(tagged gepa\/dataviz\/v1\)/);
		expect(readdirSync(join(cwd, "results", "dataviz")).filter((name) => /^\d/.test(name))).toHaveLength(1);
	});
});

describe("a group of commands without a command", () => {
	it("says so above its help, once", async () => {
		const { code, stderr } = await cli(["runs"], { cwd: filesFolder({}) });
		expect(code).toBe(2);
		expect(stderr.startsWith("error: a command is missing")).toBe(true);
		expect(stderr.match(/error:/g)).toHaveLength(1);
	});
});
