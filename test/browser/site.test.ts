import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousIssues, useBrowser, WIDTH, withoutBrowser } from "../support/browser.ts";
import { startCli, until } from "../support/cli.ts";
import { type DemoRun, demoRun } from "../support/demo-run.ts";
import { PAYLOADS } from "../support/hostile-payloads.ts";

describe.skipIf(withoutBrowser)("the site in a browser", () => {
	const pages = useBrowser();
	let demo: DemoRun;
	let copy: ReturnType<DemoRun["copy"]> | undefined;
	let results = "";
	beforeAll(async () => {
		demo = await demoRun();
		copy = demo.copy();
		results = copy.results;
	}, 180_000);
	afterAll(() => {
		copy?.remove();
		demo?.remove();
	});

	async function serve(): Promise<string> {
		const server = startCli(["serve", "--port", "0", "--results", results], { cwd: demo.cwd });
		await server.says("Stop with Ctrl-C");
		await until("its address", () => /http:\S+/.test(server.stdout));
		return (/http:\/\/\S+/.exec(server.stdout)?.[0] ?? "").replace(/\/$/, "");
	}

	it("fits a phone and a desk, light and dark, and axe-core finds nothing serious", async () => {
		const url = await serve();
		for (const path of ["/", "/skills/dataviz", `/runs/${demo.run}`, "/none"]) {
			for (const [width, scheme] of [
				[390, "light"],
				[390, "dark"],
				[1280, "light"],
			] as const) {
				await pages.open(`${url}${path}`, { width, scheme, mayFail: path === "/none" }, async (tab) => {
					expect(await tab.evaluate<number>(WIDTH), path).toBeLessThanOrEqual(width);
					expect(await seriousIssues(tab), `${path} ${width} ${scheme}`).toEqual([]);
				});
			}
		}
	});

	it("answers under the names of its two lists, and calls a run that somebody started no night", async () => {
		const url = await serve();
		for (const [path, heading] of [
			["/runs", "Runs"],
			["/skills", "Skills"],
		] as const) {
			await pages.open(`${url}${path}`, {}, async (tab) => {
				expect(new URL(tab.url()).hash).toBe(`#${heading.toLowerCase()}`);
				expect(await tab.locator(":target").textContent()).toBe(heading);
			});
		}
		for (const path of ["/", "/skills/dataviz", `/runs/${demo.run}`]) {
			await pages.open(`${url}${path}`, {}, async (tab) => {
				expect(await tab.locator("main").textContent(), path).not.toMatch(/night/i);
			});
		}
	});

	it("opens the report of a real run, which works there as it does from a file", async () => {
		const url = await serve();
		await pages.open(`${url}/runs/${demo.run}/report`, {}, async (tab) => {
			expect(await tab.locator("#matrix tbody tr").count()).toBe(25);
			await tab.locator("fieldset.axes label", { hasText: "Tokens against latency" }).click();
			expect(await tab.locator("figure.pair:visible figcaption").allTextContents()).toEqual(["Tokens against latency"]);
			expect(await seriousIssues(tab)).toEqual([]);
		});
	});

	it.each([true, false])("takes a note and keeps it, scripts %s", async (scripts) => {
		const url = await serve();
		await pages.open(`${url}/runs/${demo.run}`, { width: 390, scripts }, async (tab) => {
			await tab.locator("textarea").fill(`a wish, scripts ${scripts}`);
			await tab.locator("input[name=author]").fill("Ada");
			await tab.getByRole("button", { name: "Save the note" }).click();
			await expect.poll(() => tab.locator(".note-entry p").first().textContent()).toBe(`a wish, scripts ${scripts}`);
		});
	});

	it("keeps what was typed and not sent when the page is loaded again", async () => {
		const url = await serve();
		await pages.open(`${url}/runs/${demo.run}`, {}, async (tab) => {
			await tab.locator("textarea").fill("half a thought");
			await tab.reload();
			expect(await tab.locator("textarea").inputValue()).toBe("half a thought");
		});
	});

	it("shows hostile notes as text", async () => {
		const note = { at: "2026-01-01T00:00:00.000Z", author: "<b>Eve</b>", case: null, guidance: true };
		const texts = Array.from({ length: 25 }, (_, at) =>
			PAYLOADS.slice(at * 20, (at + 1) * 20)
				.join("\n")
				.slice(0, 2_000),
		);
		const notes = texts.map((text, at) => ({ ...note, id: `00000000-0000-4000-8000-0000000000${10 + at}`, text }));
		const file = join(results, "dataviz", demo.run, "notes.json");
		writeFileSync(file, JSON.stringify({ schemaVersion: 1, run: demo.run, skill: "dataviz", notes }));
		const url = await serve();
		await pages.open(`${url}/runs/${demo.run}`, {}, async (tab) => {
			expect(await tab.locator(".note-entry").count()).toBe(25);
			expect(await tab.locator(".note-entry p *, img, iframe, svg, base, link, style ~ style").count()).toBe(0);
		});
		rmSync(file);
	});
});
