import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { reportHtml } from "../../src/report/html.ts";
import { useBrowser, withoutBrowser } from "../support/browser.ts";
import { sampleView } from "../support/sample-view.ts";

const LARGE = { counts: { train: 12, validation: 2_500, holdout: 20 } };

/** What has the focus, in a few words. */
const FOCUS = `(() => { const one = document.activeElement; return one === document.body ? "" : one.tagName + " " + (one.getAttribute("aria-label") || one.textContent || one.value || "").trim().slice(0, 40); })()`;

/** Everything that a person can act on, but for all radio buttons of a group beyond the one that stands for it. */
const REACHABLE = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")].filter((one) => one.checkVisibility() && !one.disabled && !(one.type === "radio" && !one.checked)).length`;

const TOKENS = `[...document.querySelectorAll("#variants tbody tr")].map((row) => Number(row.cells[3].dataset.sort))`;

const rowsOf = (tab: Page) => tab.locator("#matrix tbody tr");
const status = (tab: Page) => tab.locator("#matrix [role=status]").textContent();

describe.skipIf(withoutBrowser)("using the report", () => {
	const pages = useBrowser();
	const view = sampleView();
	pages.put("promoted", reportHtml(view));
	const largeView = sampleView(LARGE);
	const largePath = pages.put("large", reportHtml(largeView, { sidecar: "report-cases.jsonl" }));

	it("reaches everything by the keyboard alone", async () => {
		await pages.open("promoted", {}, async (tab) => {
			const wanted = await tab.evaluate<number>(REACHABLE);
			expect(wanted).toBeGreaterThan(30);
			const reached = await tab.evaluate<number>("(window.__seen = new Set()).size");
			expect(reached).toBe(0);
			for (let presses = 0; presses < wanted + 5; presses++) {
				await tab.keyboard.press("Tab");
				await tab.evaluate("window.__seen.add(document.activeElement)");
			}
			const seen = await tab.evaluate<number>("[...window.__seen].filter((one) => one !== document.body).length");
			expect(seen).toBeGreaterThanOrEqual(wanted);
		});
	});

	it("chooses axes, sorts, holds a variant and opens a case by the keyboard", async () => {
		await pages.open("promoted", {}, async (tab) => {
			await tab.locator("input[name=axes]:checked").focus();
			await tab.keyboard.press("ArrowDown");
			expect(await tab.locator("figure.pair:visible figcaption").allTextContents()).toEqual([
				"Quality against latency",
			]);
			await tab.locator("#variants button.sort").nth(3).focus();
			await tab.keyboard.press("Enter");
			const tokens = await tab.evaluate<number[]>(TOKENS);
			expect(tokens).toEqual([...tokens].sort((a, b) => b - a));
			await tab.locator("#variants button.hold").first().focus();
			await tab.keyboard.press("Space");
			expect(await tab.locator("svg.parallel .lit").count()).toBeGreaterThan(0);
			const open = tab.locator("#matrix button.open").first();
			const id = await open.textContent();
			await open.focus();
			await tab.keyboard.press("Enter");
			expect(await tab.evaluate<string>(FOCUS)).toContain(`SUMMARY ${id}`);
			expect(await tab.locator("details.case[open]").count()).toBe(1);
		});
	});

	it("dims what lies outside of a stretch that is drawn along an axis, in every chart", async () => {
		await pages.open("promoted", {}, async (tab) => {
			await tab.locator("svg.parallel").scrollIntoViewIfNeeded();
			const box = await tab.locator("svg.parallel g.axis .hit").first().boundingBox();
			if (box === null) throw new Error("the axis is not drawn");
			const x = box.x + box.width / 2;
			await tab.mouse.move(x, box.y + 2);
			await tab.mouse.down();
			await tab.mouse.move(x, box.y + box.height * 0.3, { steps: 4 });
			await tab.mouse.up();
			const kept = await tab.locator("svg.parallel g.line:not(.out)").count();
			expect(kept).toBeGreaterThan(0);
			expect(kept).toBeLessThan(4);
			expect(await tab.locator("#brush [role=status]").textContent()).toBe(`${kept} of 4 variants lie within.`);
			expect(await tab.locator("figure.pair.tokens-quality .mark.out").count()).toBe(4 - kept);
			await tab.locator("#brush summary").click();
			await tab.getByRole("button", { name: "Show all" }).click();
			expect(await tab.locator("svg.parallel g.line.out").count()).toBe(0);
		});
	});

	it("pages, filters and orders thousands of cases, and says the same figures as the view", async () => {
		await pages.open("large", {}, async (tab) => {
			expect(await rowsOf(tab).count()).toBe(25);
			expect(await status(tab)).toContain("2532 of 2532 cases, page 1 of 102");
			await tab.getByRole("button", { name: "later cases" }).click();
			expect(await status(tab)).toContain("page 2 of 102");
			await tab.getByLabel("Show").selectOption("worse");
			const losses = largeView.cases.filter((entry) => (entry.change ?? 0) < -1e-9);
			expect(await status(tab)).toContain(`${losses.length} of 2532`);
			await tab.getByLabel("Show").selectOption("");
			await tab.getByLabel("Find").fill("va-0777");
			expect(await rowsOf(tab).count()).toBe(1);
			const entry = largeView.cases.find(({ id }) => id === "va-0777");
			const cells = await rowsOf(tab).locator("td.n").allTextContents();
			expect(cells[0]).toContain(entry?.before?.quality?.toFixed(3));
			expect(cells[1]).toContain(entry?.after?.quality?.toFixed(3));
		});
	});

	it("reads a case that is not in the page from the file beside it, once that is picked", async () => {
		const missing = largeView.matrix.rows.at(-1)?.case ?? "";
		const entry = largeView.cases.find(({ id }) => id === missing);
		const line = {
			case: missing,
			split: "validation",
			input: "asked <b>this</b> \u202E",
			checks: [
				{
					...{ label: "rubric <i>", contract: false, before: 0, after: 1 },
					evidence: { before: null, after: { by: "judge", text: "<img src=x onerror=alert(1)> \u202E seen" } },
				},
			],
			before: ["old answer"],
			after: ["new answer"],
		};
		const file = join(largePath, "..", "report-cases.jsonl");
		writeFileSync(file, `${JSON.stringify(line)}\n`);
		await pages.open("large", {}, async (tab) => {
			expect(entry).toBeDefined();
			await tab.locator("#sidecar input[type=file]").setInputFiles(file);
			await expect.poll(() => tab.locator("#sidecar [role=status]").textContent()).toContain("1 cases read");
			await tab.getByLabel("Find").fill(missing);
			await tab.locator("#matrix button.open").first().click();
			const text = await tab.locator("details.case[open] .inside").textContent();
			expect(text).toContain("asked <b>this</b> \\u{202E}");
			expect(text).toContain("old answer");
			expect(text).toContain("new answer");
			expect(text).toContain("rubric <i>: v0 0, winner 1");
			expect(text).toContain("winner, the judge: “<img src=x onerror=alert(1)> \\u{202E} seen”");
			expect(await tab.locator("details.case[open] .inside :is(img, i)").count()).toBe(0);
		});
	});

	it("shows a large run within its size, also without a script", async () => {
		expect(reportHtml(largeView).length).toBeLessThan(4_000_000);
		await pages.open("large", { scripts: false }, async (tab) => {
			expect(await tab.locator("#matrix tbody tr").count()).toBe(250);
			expect(await tab.locator("#matrix").textContent()).toContain("2,282 more cases");
		});
	});
});
