import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportHtml } from "../../src/report/html.ts";
import { HOSTILE } from "../support/hostile-texts.ts";
import { closed, type SampleOptions } from "../support/sample-run.ts";
import { sampleView } from "../support/sample-view.ts";

const CHROMIUM = "/usr/bin/chromium";
const present = existsSync(CHROMIUM);
if (!present && process.env.CI === undefined) {
	console.warn(`skipped: the report in a browser needs ${CHROMIUM} (Debian: apt-get install chromium)`);
}

/** How wide the page is when nothing is cut off; an expression of the browser. */
const WIDTH = "document.documentElement.scrollWidth";

const everywhere = HOSTILE.join("\n");
const PAGES: Record<string, SampleOptions> = {
	promoted: {},
	undecided: { quality: { b: 0.5 }, validation: "undecided", ending: [closed("undecided", "converged", "not proved")] },
	stopped: {
		searchOnly: true,
		offline: true,
		usd: null,
		ending: [closed("stopped", "calls", "no room for the proof")],
	},
	hostile: { text: (field, usual) => (field === "edit" || field === "value" ? `${usual} ${everywhere}` : everywhere) },
};

function page(name: string): string {
	const view = sampleView(PAGES[name]);
	const keys = view.cases.flatMap((entry) => [...(entry.before?.rollouts ?? []), ...(entry.after?.rollouts ?? [])]);
	const output = name === "hostile" ? everywhere : '{"chart":"donut"}';
	return reportHtml(view, { outputs: new Map(keys.map((key) => [key, { text: output, cut: 0, evidence: [output] }])) });
}

// In CI a missing browser is a failure, never a silent gap.
describe.skipIf(!present && process.env.CI === undefined)("the report in a browser", () => {
	let browser: Browser;
	const folder = mkdtempSync(join(tmpdir(), "gepa-report-"));

	beforeAll(async () => {
		for (const name of Object.keys(PAGES)) writeFileSync(join(folder, `${name}.html`), page(name));
		browser = await chromium.launch({
			executablePath: CHROMIUM,
			args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
		});
	});

	afterAll(async () => {
		await browser?.close();
		rmSync(folder, { recursive: true, force: true });
	});

	/** Opens a page and notes everything that it does beyond showing text. */
	async function open(name: string, width: number, javaScriptEnabled: boolean, use: (page: Page) => Promise<void>) {
		const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled });
		const tab = await context.newPage();
		const noise: string[] = [];
		const url = pathToFileURL(join(folder, `${name}.html`)).href;
		tab.on("request", (request) => request.url() !== url && noise.push(`request ${request.url()}`));
		tab.on("console", (message) => noise.push(`console ${message.text()}`));
		tab.on("pageerror", (error) => noise.push(`error ${error.message}`));
		tab.on("dialog", (dialog) => {
			noise.push(`dialog ${dialog.message()}`);
			void dialog.dismiss();
		});
		await tab.goto(url);
		await use(tab);
		await context.close();
		expect(noise).toEqual([]);
	}

	const cells = Object.keys(PAGES).flatMap((name) =>
		[1280, 390].flatMap((width) => [true, false].map((scripts) => ({ name, width, scripts }))),
	);

	it.each(cells)(
		"$name at $width pixels, scripts $scripts: no request, no dialog, no error, no sideways scrolling",
		async ({ name, width, scripts }) => {
			await open(name, width, scripts, async (tab) => {
				expect(await tab.locator("h2").first().textContent()).not.toBe("");
				expect(await tab.locator("script, img, iframe, link, base, form, a").count()).toBe(0);
				expect(await tab.evaluate<number>(WIDTH)).toBeLessThanOrEqual(width);
				for (const summary of await tab.locator("details.case > summary:visible").all()) await summary.click();
				expect(await tab.evaluate<number>(WIDTH)).toBeLessThanOrEqual(width);
			});
		},
	);

	it("hostile text makes no element: the page has the same ones as with harmless text of the same shape", async () => {
		// Edits stay as they are: a heading in an edit makes a section of the document, which is no element that was smuggled in.
		const filled = (text: string): SampleOptions => ({ text: (field, usual) => (field === "edit" ? usual : text) });
		writeFileSync(
			join(folder, "filled-harmless.html"),
			reportHtml(sampleView(filled(everywhere.replace(/[^\n]/g, "x")))),
		);
		writeFileSync(join(folder, "filled-hostile.html"), reportHtml(sampleView(filled(everywhere))));
		const elements = async (name: string) => {
			let found: string[] = [];
			await open(name, 1280, true, async (tab) => {
				found = await tab.evaluate<string[]>('[...document.querySelectorAll("*")].map((element) => element.tagName)');
			});
			return found;
		};
		expect(await elements("filled-hostile")).toEqual(await elements("filled-harmless"));
	});

	it("has its headings in the order in which a reader decides, each with a name", async () => {
		await open("promoted", 1280, false, async (tab) => {
			expect(await tab.locator("h2").allTextContents()).toEqual([
				"Promoted as v1",
				"Objectives",
				"Front",
				"The change",
				"Cases",
				"How it came about",
				"Spend",
				"Method and caveats",
			]);
			expect(await tab.locator("svg[role=img]:not([aria-label])").count()).toBe(0);
			expect(await tab.locator("table th:not([scope])").count()).toBe(0);
		});
	});

	it("prints to PDF", async () => {
		await open("promoted", 1280, true, async (tab) => {
			await tab.emulateMedia({ media: "print" });
			const pdf = await tab.pdf({ format: "A4" });
			expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
		});
	});
});
