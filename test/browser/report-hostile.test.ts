import { describe, expect, it } from "vitest";
import { reportHtml } from "../../src/report/html.ts";
import type { RunView } from "../../src/report/view.ts";
import { useBrowser, withoutBrowser } from "../support/browser.ts";
import { batches, harmlessAs, PAYLOADS } from "../support/hostile-payloads.ts";
import { hostileView } from "../support/hostile-view.ts";
import { sampleView } from "../support/sample-view.ts";

const BATCH = 20;
const base = sampleView({ counts: { train: 3, validation: 8, holdout: 4 } }, { repositoryPath: "/home/me/skills" });

/** Every element with its class, but for the marks of invisible characters, which harmless text has none of. */
const ELEMENTS = `[...document.querySelectorAll("*")].filter((one) => !one.matches("span.hid")).map((one) => one.tagName + "." + one.getAttribute("class"))`;
/** Attributes that could act, whatever their element. */
const ACTIVE = `[...document.querySelectorAll("*")].flatMap((one) => [...one.attributes].filter((entry) => /^on|^(?:src|srcdoc|style|action|formaction|xlink:href)$/i.test(entry.name) || (entry.name === "href" && !entry.value.startsWith("#"))).map((entry) => one.tagName + " " + entry.name))`;

function pageOf(payload: string): string {
	const view: RunView = hostileView(base, payload);
	const keys = view.cases.flatMap((entry) => [...(entry.before?.rollouts ?? []), ...(entry.after?.rollouts ?? [])]);
	const said = { text: payload };
	const evidence = [
		{ by: "check", ...said } as const,
		{ by: "judge", ...said } as const,
		{ by: "judge", ...said } as const,
	];
	const output = { text: payload, cut: 0, evidence };
	return reportHtml(view, { outputs: new Map(keys.map((key) => [key, output])) });
}

describe.skipIf(withoutBrowser)(`${PAYLOADS.length} payloads in every field of the page`, () => {
	const pages = useBrowser();

	it.each(batches(BATCH).map((payload, at) => ({ payload, from: at * BATCH + 1, to: (at + 1) * BATCH })))(
		"$from to $to: no dialog, no request, no error, and the elements of a page without them",
		async ({ payload }) => {
			pages.put("hostile", pageOf(payload));
			pages.put("harmless", pageOf(harmlessAs(payload)));
			const seen: Record<string, string[]> = {};
			for (const name of ["hostile", "harmless"]) {
				await pages.open(name, {}, async (tab) => {
					await tab.evaluate('document.querySelectorAll("details").forEach((box) => { box.open = true; })');
					for (const box of await tab.locator("#matrix button.open").all()) await box.hover({ force: true });
					await tab.locator("#matrix button.open").first().click();
					seen[name] = await tab.evaluate<string[]>(ELEMENTS);
					expect(await tab.evaluate<string[]>(ACTIVE)).toEqual([]);
				});
			}
			expect(seen.hostile?.length).toBeGreaterThan(500);
			expect(seen.hostile).toEqual(seen.harmless);
		},
	);

	it("are five hundred different ones", () => {
		expect(new Set(PAYLOADS).size).toBe(500);
	});

	it("are as inert without the script", async () => {
		pages.put("all", pageOf(PAYLOADS.join("\n")));
		await pages.open("all", { scripts: false }, async (tab) => {
			expect(await tab.evaluate<string[]>(ACTIVE)).toEqual([]);
			expect(await tab.locator("script").count()).toBe(2);
		});
	});
});
