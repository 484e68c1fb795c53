/** A gate that lets so many through at once: order, room that changes, and places in line that are given up. */
import { describe, expect, it } from "vitest";
import { createFairGate } from "../../src/adapters/fair-gate.ts";

describe("a gate", () => {
	it("lets as many through as there is room for, the others in their order as somebody leaves", () => {
		const entered: number[] = [];
		const gate = createFairGate(() => 2);
		for (let n = 0; n < 5; n++) gate.wait(() => entered.push(n));
		expect(entered).toEqual([0, 1]);
		gate.leave();
		expect(entered).toEqual([0, 1, 2]);
		gate.leave();
		gate.leave();
		expect(entered).toEqual([0, 1, 2, 3, 4]);
	});

	it("lets more through when the room has grown, and forgets whoever has given up", () => {
		const entered: number[] = [];
		let room = 1;
		const gate = createFairGate(() => room);
		const giveUps = [0, 1, 2, 3].map((n) => gate.wait(() => entered.push(n)));
		giveUps[1]?.();
		room = 3;
		gate.look();
		expect(entered).toEqual([0, 2, 3]);
	});

	it("gives two runs that share the workers equal turns", () => {
		const served: string[] = [];
		const line: string[] = [];
		const gates = ["a", "b"].map((name) => ({ name, gate: createFairGate(() => 4) }));
		for (const { name, gate } of gates) for (let n = 0; n < 40; n++) gate.wait(() => line.push(name));
		while (served.length < 40) {
			const next = line.shift() ?? "";
			served.push(next);
			gates.find(({ name }) => name === next)?.gate.leave();
		}
		const ofA = served.filter((name) => name === "a").length;
		expect(Math.abs(ofA - 20)).toBeLessThanOrEqual(4);
	});
});
