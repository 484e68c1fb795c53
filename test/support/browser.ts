/**
 * Pages in Debian's chromium, with everything noted that a page does beyond showing text: requests, console, errors, dialogs.
 * One browser for a test file; each page has a context of its own.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

const CHROMIUM = "/usr/bin/chromium";
const present = existsSync(CHROMIUM);
if (!present && process.env.CI === undefined) {
	console.warn(`skipped: pages in a browser need ${CHROMIUM} (Debian: apt-get install chromium)`);
}

/** In CI a missing browser is a failure, never a silent gap. */
export const withoutBrowser = !present && process.env.CI === undefined;

/** How wide the page is when nothing is cut off; an expression of the browser. */
export const WIDTH = "document.documentElement.scrollWidth";

export interface OpenOptions {
	width?: number;
	scripts?: boolean;
	scheme?: "light" | "dark";
	print?: boolean;
	/** The page answers with a status that the browser writes to its console. */
	mayFail?: boolean;
}

export interface Pages {
	/** Keeps a page under a name; returns its path. */
	put(name: string, content: string): string;
	/** Opens what was put under a name, or an address, uses it, and fails when it did anything of its own accord. */
	open(name: string, options: OpenOptions, use: (page: Page) => Promise<void>): Promise<void>;
}

/** Call in a describe block: the browser starts before its tests and ends after them. */
export function useBrowser(): Pages {
	const folder = mkdtempSync(join(tmpdir(), "gepa-page-"));
	let browser: Browser;
	beforeAll(async () => {
		browser = await chromium.launch({
			executablePath: CHROMIUM,
			args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
		});
	});
	afterAll(async () => {
		await browser?.close();
		rmSync(folder, { recursive: true, force: true });
	});
	const pathOf = (name: string) => join(folder, `${name}.html`);
	return {
		put(name, content) {
			writeFileSync(pathOf(name), content);
			return pathOf(name);
		},
		async open(name, { width = 1280, scripts = true, scheme = "light", print = false, mayFail = false }, use) {
			const context = await browser.newContext({
				viewport: { width, height: 900 },
				javaScriptEnabled: scripts,
				colorScheme: scheme,
			});
			const page = await context.newPage();
			const noise: string[] = [];
			const url = /^https?:/.test(name) ? name : pathToFileURL(pathOf(name)).href;
			const origin = new URL(url).origin;
			page.on("request", (request) => {
				const own =
					origin === "null" ? request.url().replace(/#.*/, "") === url : new URL(request.url()).origin === origin;
				if (!own) noise.push(`request ${request.url()}`);
			});
			page.on("console", (message) => {
				const status = mayFail && message.text().startsWith("Failed to load resource");
				if (!status) noise.push(`console ${message.text()}`);
			});
			page.on("pageerror", (error) => noise.push(`error ${error.message}`));
			page.on("popup", (other) => noise.push(`popup ${other.url()}`));
			page.on("dialog", (dialog) => {
				noise.push(`dialog ${dialog.message()}`);
				void dialog.dismiss();
			});
			if (print) await page.emulateMedia({ media: "print", colorScheme: scheme });
			try {
				await page.goto(url);
				await use(page);
			} finally {
				await context.close();
			}
			expect(noise).toEqual([]);
		},
	};
}

interface Violation {
	id: string;
	impact: string | null;
	nodes: { target: string[]; failureSummary: string }[];
}

/** What axe-core finds that is serious or worse, one line each. */
export async function seriousIssues(page: Page): Promise<string[]> {
	const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
	await page.evaluate(source);
	const violations = await page.evaluate<Violation[]>(
		'axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)',
	);
	return violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, nodes }) =>
			nodes
				.slice(0, 5)
				.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary.split("\n")[1]?.trim()}`),
		);
}
