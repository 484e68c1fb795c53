import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { gainTable, powerTable } from "../support/power-table.ts";

describe("the tables of docs/cases.md", () => {
	const page = readFileSync(new URL("../../docs/cases.md", import.meta.url), "utf8");

	it("are what npm run power-table prints", () => {
		expect(page).toContain(gainTable());
		expect(page).toContain(powerTable());
	});
});
