import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createRetryingClient, type Wait } from "../../src/adapters/retrying-client.ts";
import type { ModelClient, ModelRequest } from "../../src/ports/model-client.ts";

const request: ModelRequest = { role: "task", model: { name: "m" }, messages: [{ role: "user", content: "x" }] };
const down: ModelClient = {
	complete: async () => ({
		status: "unavailable",
		reason: "connection",
		message: "cannot be reached",
		attempts: 1,
		maybePaid: false,
	}),
};

describe("many calls that wait at once", () => {
	it("share one listener of the signal, and all stop when it aborts", async () => {
		const control = new AbortController();
		const waits: Wait[] = [];
		let allWait = (): void => undefined;
		const begun = new Promise<void>((resolve) => {
			allWait = resolve;
		});
		const client = createRetryingClient(down, {
			onWait: (wait) => {
				if (waits.push(wait) === 50) allWait();
			},
		});
		const calls = Array.from({ length: 50 }, () => client.complete(request, { signal: control.signal }));
		await begun;
		await Promise.resolve();
		expect(getEventListeners(control.signal, "abort")).toHaveLength(1);
		expect(waits[0]).toMatchObject({ attempt: 1, of: 6, reason: "connection" });
		control.abort(new Error("stop"));
		for (const result of await Promise.allSettled(calls)) {
			expect(result).toMatchObject({ status: "fulfilled", value: { reason: "connection", maybePaid: false } });
		}
	});
});
