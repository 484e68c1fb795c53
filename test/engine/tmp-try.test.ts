import { it } from "vitest";
import { runParcels, SMALL, endOf } from "../support/parcel-run.ts";
it("try", async () => {
	const t0 = performance.now();
	for (const [name, w] of [["small", SMALL], ["full", {}], ["rub", {family: {train: 6, validation: 6, holdout: 6, checks: "rubrics"}}]] as const)
	for (let calls = 1; calls <= 200; calls += name === "small" ? 1 : 3) {
	const r = await runParcels({ ...w, spec: { budget: { calls } } });
	const end = endOf(r.events);
	const at = r.events.findIndex((e) => e.type === "limit-reached");
	console.log(name, calls, r.client.answered.length, r.client.arrived <= calls ? "" : "OVER", end.status, end.stoppedBy, at >= 0 ? `LIMIT after ${r.events[at-1].type} ${r.events[at-1].purpose} of ${r.events.length} at ${at}` : "", end.reason);
	}
	console.log(performance.now() - t0);
}, 100000);
