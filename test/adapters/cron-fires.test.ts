/** When schedules are due, above all when clocks change: a night is due once, as it is listed. */
import { describe, expect, it } from "vitest";
import { cronProblem, firesBetween, nextFires } from "../../src/adapters/cron-fires.ts";

const utc = (dates: readonly Date[]) => dates.map((date) => date.toISOString());
const at = (text: string) => new Date(text);

describe("the next times of a schedule", () => {
	it("keep their hour in the zone over the change to summer time and back", () => {
		expect(utc(nextFires("15 4 * * *", "Europe/Paris", at("2026-03-28T00:00:00Z"), 3))).toEqual([
			"2026-03-28T03:15:00.000Z",
			"2026-03-29T02:15:00.000Z",
			"2026-03-30T02:15:00.000Z",
		]);
		expect(utc(nextFires("15 4 * * *", "Europe/Paris", at("2026-10-24T00:00:00Z"), 3))).toEqual([
			"2026-10-24T02:15:00.000Z",
			"2026-10-25T03:15:00.000Z",
			"2026-10-26T03:15:00.000Z",
		]);
	});

	it("come once on the day whose hour does not exist", () => {
		const fires = firesBetween(
			"30 2 * * *",
			"Europe/Paris",
			at("2026-03-28T12:00:00Z"),
			at("2026-03-30T12:00:00Z"),
			10,
		);
		expect(fires.map((fire) => fire.toISOString().slice(0, 10))).toEqual(["2026-03-29", "2026-03-30"]);
	});

	it("come once on the day whose hour comes twice", () => {
		const fires = firesBetween(
			"30 2 * * *",
			"Europe/Paris",
			at("2026-10-24T12:00:00Z"),
			at("2026-10-26T12:00:00Z"),
			10,
		);
		expect(fires.map((fire) => fire.toISOString().slice(0, 10))).toEqual(["2026-10-25", "2026-10-26"]);
	});

	it("know leap days, and years after 2038", () => {
		expect(utc(nextFires("0 3 29 2 *", "UTC", at("2026-01-01T00:00:00Z"), 1))).toEqual(["2028-02-29T03:00:00.000Z"]);
		expect(utc(nextFires("0 3 * * *", "UTC", at("2038-01-19T03:14:08Z"), 1))).toEqual(["2038-01-20T03:00:00.000Z"]);
	});

	it.each([
		["61 2 * * *", "UTC"],
		["1 2 * *", "UTC"],
		["* * * * * *", "UTC"],
		["1 2 * * *", "Mars/Base"],
		["", "UTC"],
	])("are refused with a reason for %j in %s", (pattern, zone) => {
		expect(cronProblem(pattern, zone)).toMatch(/^"/);
	});

	it("are accepted as they should be", () => {
		expect(cronProblem("15 2 * * 1-5", "Europe/Paris")).toBeNull();
	});
});
