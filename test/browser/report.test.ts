import { describe, expect, it } from "vitest";
import { reportHtml } from "../../src/report/html.ts";
import { seriousIssues, useBrowser, WIDTH, withoutBrowser } from "../support/browser.ts";
import { HOSTILE } from "../support/hostile-texts.ts";
import { closed, type SampleOptions } from "../support/sample-run.ts";
import { sampleView } from "../support/sample-view.ts";

const everywhere = HOSTILE.join("\n");
/** Small, because every page is opened many times. */
const counts = { train: 4, validation: 9, holdout: 9 };
const RUNS: Record<string, SampleOptions> = {
	promoted: { counts },
	undecided: {
		counts,
		quality: { b: 0.5 },
		validation: "undecided",
		ending: [closed("undecided", "converged", "not proved")],
	},
	stopped: {
		counts,
		searchOnly: true,
		offline: true,
		usd: null,
		ending: [closed("stopped", "calls", "no room for the proof")],
	},
	hostile: { text: (field, usual) => (field === "edit" || field === "value" ? `${usual} ${everywhere}` : everywhere) },
};

function pageOf(name: string): string {
	const view = sampleView(RUNS[name]);
	const keys = view.cases.flatMap((entry) => [...(entry.before?.rollouts ?? []), ...(entry.after?.rollouts ?? [])]);
	const text = name === "hostile" ? everywhere : '{"chart":"donut"}';
	return reportHtml(view, {
		outputs: new Map(keys.map((key) => [key, { text, cut: 0, evidence: [null, { by: "judge", text }] }])),
	});
}

describe.skipIf(withoutBrowser)("the report in a browser", () => {
	const pages = useBrowser();
	for (const name of Object.keys(RUNS)) pages.put(name, pageOf(name));

	const cells = Object.keys(RUNS).flatMap((name) =>
		[1280, 390].flatMap((width) => [true, false].map((scripts) => ({ name, width, scripts }))),
	);

	it.each(cells)(
		"$name at $width pixels, scripts $scripts: no request, no dialog, no error, no sideways scrolling",
		async ({ name, width, scripts }) => {
			await pages.open(name, { width, scripts }, async (tab) => {
				expect(await tab.locator("h2").first().textContent()).not.toBe("");
				expect(await tab.locator("img, iframe, link, base, form, object, embed").count()).toBe(0);
				expect(await tab.evaluate<number>(WIDTH)).toBeLessThanOrEqual(width);
				await tab.evaluate('document.querySelectorAll("details").forEach((box) => { box.open = true; })');
				expect(await tab.evaluate<number>(WIDTH)).toBeLessThanOrEqual(width);
			});
		},
	);

	const looks = ["promoted", "undecided", "stopped"].flatMap((name) =>
		(["light", "dark"] as const).flatMap((scheme) => [1280, 390].map((width) => ({ name, scheme, width }))),
	);

	it.each(looks)("$name, $scheme, $width pixels: axe-core finds nothing serious", async ({ name, scheme, width }) => {
		await pages.open(name, { width, scheme }, async (tab) => {
			await tab.evaluate('document.querySelectorAll("details").forEach((box) => { box.open = true; })');
			expect(await seriousIssues(tab)).toEqual([]);
		});
	});

	it("is as good without its script, for axe-core too", async () => {
		pages.put("scriptless", pageOf("promoted").replace(/<script>[\s\S]*?<\/script>/, ""));
		await pages.open("scriptless", {}, async (tab) => {
			expect(await seriousIssues(tab)).toEqual([]);
		});
	});

	it("has its headings in the order in which a reader decides, each with a name", async () => {
		await pages.open("promoted", { scripts: false }, async (tab) => {
			expect(await tab.locator("h2").allTextContents()).toEqual([
				"Promoted as v1",
				"Objectives",
				"Front",
				"The change",
				"Cases",
				"How it came about",
				"Spend and progress",
				"Method and caveats",
			]);
			expect(await tab.locator("dl.answers dt").allTextContents()).toEqual([
				"What changed",
				"Is it better",
				"How sure",
				"At what cost",
				"How to undo",
			]);
			expect(await tab.locator("svg[role=img]:not([aria-label])").count()).toBe(0);
			expect(await tab.locator("table th:not([scope])").count()).toBe(0);
		});
	});

	it("reads fully without its script: everything that the script shows by pages is in tables", async () => {
		await pages.open("promoted", { scripts: false }, async (tab) => {
			const { rows } = sampleView(RUNS.promoted).matrix;
			expect(await tab.locator("#matrix tbody tr").count()).toBe(rows.length);
			expect(await tab.locator("figure.pair").count()).toBe(6);
			expect(await tab.locator("svg.parallel g.line").count()).toBe(4);
			await tab.locator("fieldset.axes label", { hasText: "Latency against retries" }).click();
			await expect
				.poll(() => tab.locator("figure.pair:visible figcaption").allTextContents())
				.toEqual(["Latency against retries"]);
		});
	});

	it("prints to PDF with all pairs of objectives, and without what only a screen can use", async () => {
		await pages.open("promoted", { print: true }, async (tab) => {
			expect(await tab.locator("figure.pair:visible").count()).toBe(6);
			expect(await tab.locator("nav, fieldset.axes, .bar").locator("visible=true").count()).toBe(0);
			const pdf = await tab.pdf({ format: "A4" });
			expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
		});
	});
});
