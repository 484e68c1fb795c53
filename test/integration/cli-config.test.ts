import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { type ConfigSources, resolveConfig } from "../../src/cli/config.ts";
import { redact, refuseSecrets } from "../../src/cli/secrets.ts";
import type { JobSpec } from "../../src/domain/job-spec.ts";

const KEY = "sk-test-0123456789abcdef";
const resolve = (sources: Partial<ConfigSources> = {}) =>
	resolveConfig({ skill: "demo", flags: {}, env: {}, jobSpec: null, cwd: "/somewhere", ...sources });
const job = (spec: Omit<JobSpec, "schemaVersion">) => ({
	jobSpec: { file: "/somewhere/jobs/demo.yaml", spec: { schemaVersion: 1 as const, ...spec } },
	jobName: "jobs/demo.yaml",
});

describe("resolving the configuration", () => {
	it("runs on defaults, offline, without anything", () => {
		const config = resolve();
		expect(config).toMatchObject({
			casesFolder: "/somewhere/eval-cases",
			resultsFolder: "/somewhere/results",
			skillsRepo: null,
			baseUrl: null,
			queueUrl: null,
			concurrency: 16,
			jobFile: null,
		});
		expect(config.settings).toMatchObject({
			limits: { calls: 600, usd: 5, minutes: 60 },
			seed: 1,
			policy: "quality-first",
			promote: "current",
		});
		expect(config.settings.models).toEqual({
			task: { name: "offline-rules" },
			reflection: { name: "offline-rules" },
			judge: { name: "offline-rules" },
		});
		expect(config.origins).toMatchObject({ seed: "default", casesFolder: "default" });
	});

	it("lets flags win over the environment, that over the job spec, that over defaults, and says which won", () => {
		const { settings, origins, baseUrl, queueUrl, concurrency } = resolve({
			flags: { baseUrl: "http://localhost:1/v1", seed: "9", maxCalls: "7" },
			env: { OPENAI_BASE_URL: "http://localhost:2/v1", GEPA_QUEUE_URL: "redis://q", REDIS_URL: "redis://r" },
			...job({ seed: 3, concurrency: 4, policy: "cheapest", budget: { calls: 100, minutes: 5 } }),
		});
		expect([baseUrl, queueUrl, concurrency, settings.seed, settings.policy]).toEqual([
			"http://localhost:1/v1",
			"redis://q",
			4,
			9,
			"cheapest",
		]);
		expect(settings.limits).toEqual({ calls: 7, minutes: 5 });
		expect(origins).toMatchObject({
			baseUrl: "flag --base-url",
			queueUrl: "environment GEPA_QUEUE_URL",
			concurrency: "jobs/demo.yaml",
			"limits.calls": "flag --max-calls",
			"limits.minutes": "jobs/demo.yaml",
			seed: "flag --seed",
		});
	});

	it("takes an empty variable as not set, and Redis only behind the queue's own variable", () => {
		expect(resolve({ env: { OPENAI_BASE_URL: " ", GEPA_QUEUE_URL: "", REDIS_URL: "redis://r" } })).toMatchObject({
			baseUrl: null,
			queueUrl: "redis://r",
		});
	});

	it("uses OpenAI's endpoint when there is a key and no address, and never shows the key", () => {
		const config = resolve({ env: { OPENAI_API_KEY: KEY } });
		expect(config.baseUrl).toBe("https://api.openai.com/v1");
		expect(config.apiKey).toBe(KEY);
		expect(JSON.stringify(config) + inspect(config) + inspect({ ...config })).not.toContain(KEY);
	});

	it("gives each role its model, and drops a price with the name that it belonged to", () => {
		const price = { inputPerMTok: 1, outputPerMTok: 2 };
		const { settings } = resolve({
			flags: { model: "small" },
			env: { OPENAI_API_KEY: KEY },
			...job({ models: { task: { name: "big", temperature: 0, price }, judge: { name: "judge", price } } }),
		});
		expect(settings.models).toEqual({
			task: { name: "small", temperature: 0 },
			reflection: { name: "small", temperature: 0 },
			judge: { name: "judge", price },
		});
	});

	it("commits nothing with --no-commit, whatever the job spec says", () => {
		expect(resolve({ flags: { commit: false }, ...job({ promote: "branch" }) }).settings.promote).toBe("report");
		expect(resolve({ flags: { commit: true }, ...job({ promote: "branch" }) }).settings.promote).toBe("branch");
	});

	it.each([
		[{ maxCalls: "0" }, "--max-calls"],
		[{ maxCalls: "1.5" }, "--max-calls"],
		[{ maxTokens: "many" }, "--max-tokens"],
		[{ maxUsd: "-1" }, "--max-usd"],
		[{ maxMinutes: "." }, "--max-minutes"],
		[{ concurrency: "2000" }, "--concurrency"],
		[{ seed: "4294967296" }, "--seed"],
		[{ policy: "best" }, "--policy"],
		[{ promote: "main" }, "--promote"],
		[{ promote: "current", commit: false }, "--no-commit"],
		[{ commit: false, push: true }, "--push"],
		[{ baseUrl: "ftp://x" }, "--base-url"],
		[{ queue: "http://x" }, "--queue"],
		[{ cases: " " }, "--cases"],
		[{ model: "gpt" }, "--model"],
	])("refuses %j and names the flag", (flags, name) => {
		expect(() => resolve({ flags })).toThrow(
			expect.objectContaining({ exitCode: 2, message: expect.stringContaining(name) }),
		);
	});

	it("refuses a name that no skill can have", () => {
		expect(() => resolve({ skill: "../etc" })).toThrow(expect.objectContaining({ exitCode: 2 }));
	});
});

describe("secrets", () => {
	it.each([
		[["run", "x", "--api-key", KEY]],
		[["run", "x", `--api-key=${KEY}`]],
		[["run", "x", "--model", KEY]],
		[["run", "x", "--queue", "redis://:hunter2x@host"]],
		[["run", "x", "--base-url", "https://user:hunter2x@host/v1"]],
		[["run", "x", "--base-url", "https://host/v1?api-key=hunter2x"]],
		[["run", "my-own-secret"]],
	])("are refused as arguments and not repeated: %j", (argv) => {
		const refuse = () => refuseSecrets(argv, { OPENAI_API_KEY: "my-own-secret" });
		expect(refuse).toThrow(
			expect.objectContaining({ exitCode: 2, message: expect.not.stringMatching(/hunter2x|0123456789|my-own-secret/) }),
		);
	});

	it("are taken out of any text, with the values that the environment holds", () => {
		const env = { OPENAI_API_KEY: "my-own-secret", REDIS_URL: "redis://:pass-word@host" };
		const text = `key my-own-secret, ${KEY}, pass-word, https://a:b@host/?token=abc&x=1`;
		expect(redact(text, env)).toBe("key [secret], [secret], [secret], https://[secret]@host/?token=[secret]&x=1");
	});

	it("do not make ordinary arguments suspicious", () => {
		const argv = [
			"run",
			"dataviz",
			"--max-tokens",
			"5",
			"--model",
			"gpt-5-mini",
			"--queue",
			"redis://127.0.0.1:6379",
			"--base-url",
			"http://localhost:11434/v1",
		];
		expect(() => refuseSecrets(argv, { OPENAI_API_KEY: "" })).not.toThrow();
	});
});
