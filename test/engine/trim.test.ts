import { describe, expect, it } from "vitest";
import { replay, searchOf } from "../../src/domain/run-state.ts";
import type { TrimState } from "../../src/domain/search-state.ts";
import { groupsToTry } from "../../src/engine/search/trim.ts";
import { endOf, eventsOf, type ParcelRun, runParcels } from "../support/parcel-run.ts";
import { bloatedSkill, FILLER, lineOf, RULES, skillKnowing } from "../support/parcels.ts";
import { kindOf, replaceReply } from "../support/scripted-client.ts";

/** Each case once in a proof. */
const SINGLE = { search: { proofDraws: 1 } };

const BLOATED: ParcelRun = {
	skill: bloatedSkill(),
	family: { train: 9, validation: 20, holdout: 20 },
	spec: { ...SINGLE, policy: "balanced" },
	world: { slips: 0 },
};
const withSpec = (spec: ParcelRun["spec"], world: ParcelRun["world"] = {}): ParcelRun => ({
	...BLOATED,
	spec: { ...BLOATED.spec, ...spec },
	world: { ...BLOATED.world, ...world },
});
const winnerOf = ({ state, fileOf }: Awaited<ReturnType<typeof runParcels>>) =>
	new TextDecoder().decode(fileOf(state.search?.finished?.finalist ?? ""));
const rules = RULES.map(lineOf);
const stated = (text: string) => rules.filter((line) => text.includes(line));
const trimmed = (run: { events: Parameters<typeof eventsOf>[0] }) =>
	eventsOf(run.events, "variant-admitted").filter((event) => event.purpose === "trim");

describe("a text that is right and too long", () => {
	it("becomes a shorter one that is proved on tokens, with all it states, under a policy that minds costs", async () => {
		for (const policy of ["balanced", "cheapest"] as const) {
			const run = await runParcels(withSpec({ policy }));
			const text = winnerOf(run);
			expect(endOf(run.events).status).toBe("confirmed");
			expect(stated(text)).toEqual(rules);
			for (const line of FILLER) expect(text).not.toContain(line);
			expect(text.split(rules[0] ?? "")).toHaveLength(2);
			expect(text).toContain("<!-- kernel:begin id=output-contract -->");
			const looks = eventsOf(run.events, "look-taken");
			// Quality is looked at over all cases, so no gate ends before.
			expect(looks.map(({ gate, objective, pairs, answer }) => [gate, objective, pairs, answer])).toEqual([
				["validation", "tokens", 8, "continue"],
				["validation", "tokens", 20, "better"],
				["holdout", "tokens", 8, "continue"],
				["holdout", "tokens", 20, "better"],
			]);
		}
	});

	it("stays as it is when quality comes first, or when nobody wants it shortened", async () => {
		const first = await runParcels(withSpec({ policy: "quality-first" }));
		expect(endOf(first.events)).toMatchObject({ status: "kept", stoppedBy: "no-signal" });
		const off = await runParcels(withSpec({ search: { trim: false } }));
		expect(trimmed(off)).toEqual([]);
		expect(endOf(off.events).status).toBe("kept");
	});

	it("says in its lineage how it came about, and names no line that came and went", async () => {
		const { state } = await runParcels({ ...BLOATED, skill: skillKnowing(RULES.slice(0, 4)) });
		const finalist = state.variants[searchOf(state).finished?.finalist ?? ""];
		expect(finalist?.operator).toBe("trim");
		const edits = (finalist?.patch ?? []).flatMap((id) => state.edits[id]?.edit ?? []);
		const added = new Set(edits.filter((edit) => edit.op === "append").map((edit) => edit.text));
		expect(edits.filter((edit) => edit.op === "delete" && added.has(edit.find))).toEqual([]);
	});

	it("is shortened only as far as the limits leave room beside the proofs", async () => {
		const free = await runParcels(BLOATED);
		const tight = await runParcels(withSpec({ budget: { calls: 56 } }));
		expect(trimmed(tight).length).toBeLessThan(trimmed(free).length);
		expect(tight.client.answered.length).toBeLessThanOrEqual(56);
	});

	it("keeps a line that only one case needs", async () => {
		const run = await runParcels(withSpec({}, { task: (system, input) => needing(system, input) }));
		expect(winnerOf(run)).toContain(FILLER[1]);
		expect(winnerOf(run)).not.toContain(FILLER[0]);
	});
});

/** The usual answer, but for parcels that are fragile, foreign and urgent: those want a line that looks like filler. */
function needing(system: string, input: string): string | undefined {
	const isOdd = ["foreign", "urgent"].some((trait) => input.includes(trait));
	return isOdd && !system.includes(FILLER[1] ?? "") ? '{"box": "none", "route": "none", "label": "none"}' : undefined;
}

describe("a section in other words", () => {
	const SHORT = "- As in the list of rules.";
	const TABLE =
		"- Parcels are packed on the long table beside the door, from left to right, by whoever is nearest to it.";
	/** Without the line about the table nothing is right; the short line stands for all of the section. */
	const task = (system: string, input: string): string | undefined => {
		if (!system.includes(SHORT)) return system.includes(TABLE) ? undefined : '{"box": "", "route": "", "label": ""}';
		const answer: Record<string, string> = { box: "plain", route: "van", label: "white" };
		for (const rule of RULES) if (input.includes(rule.trait)) answer[rule.field] = rule.value;
		return JSON.stringify(answer);
	};
	const skill = new TextEncoder().encode(
		new TextDecoder().decode(bloatedSkill()).replace("## Packing\n\n", `## Packing\n\n${TABLE}\n`),
	);
	const reworded = (reply: () => string, search = {}) =>
		runParcels({ ...withSpec({ search: { ...SINGLE.search, ...search } }, { task, reformulate: reply }), skill });

	it("is asked for once nothing more comes off, for the longest section first, and kept when nothing is lost by it", async () => {
		const run = await reworded(() => replaceReply("1/packing", SHORT));
		const asked = eventsOf(run.events, "proposals-consolidated").filter((event) => event.operator === "reformulate");
		expect(asked[0]).toMatchObject({ section: "1/packing", proposal: { status: "usable" } });
		expect(winnerOf(run)).toContain(SHORT);
		// The one that another section says as well.
		expect(stated(winnerOf(run))).toEqual(rules.slice(0, 1));
		expect(run.state.variants[searchOf(run.state).finished?.finalist ?? ""]?.operator).toBe("reformulate");
		expect(endOf(run.events).status).toBe("confirmed");
	});

	it("is not kept when it loses a rule", async () => {
		const run = await reworded(() => replaceReply("1/packing", `${TABLE}\n- A fragile parcel: box padded.`));
		expect(Object.values(run.state.variants).some((variant) => variant.operator === "reformulate")).toBe(true);
		expect(stated(winnerOf(run))).toEqual(rules);
	});

	it("is refused when it is longer, adds something, or is about another section", async () => {
		for (const reply of [
			replaceReply("1/packing", [TABLE, ...rules, "- And so on and so forth, with all that belongs to it."].join("\n")),
			replaceReply("1/sending", "- Van."),
			JSON.stringify({ edits: [{ op: "append", section: "1/packing", find: null, text: "- Be brief." }] }),
		]) {
			const run = await reworded(() => reply, { reformulations: 1 });
			expect(stated(winnerOf(run))).toEqual(rules);
			const refused = eventsOf(run.events, "edits-judged").flatMap((event) => event.refusals);
			expect(refused.length).toBeGreaterThan(0);
			expect(Object.values(run.state.variants).some((variant) => variant.operator === "reformulate")).toBe(false);
		}
	});

	it("is asked for as often as the job spec says", async () => {
		const questions = async (reformulations: number) => {
			const { client } = await reworded(() => '{"edits": []}', { reformulations });
			return client.answered.filter((request) => request.role === "reflection" && kindOf(request) === "reformulate")
				.length;
		};
		expect([await questions(0), await questions(1)]).toEqual([0, 1]);
	});
});

describe("which units are tried together", () => {
	const ids = (units: readonly number[]) => units.map((unit) => `g1.trim.${unit}`);
	const groupsAfter = (...attempts: { tried: number[]; kept?: boolean; missed?: number[] }[]) => {
		const trim: TrimState = {
			...{ reference: "v", trying: [], asked: [] },
			attempts: attempts.map(({ tried, kept = false, missed = [] }) => ({
				edits: ids(tried),
				kept,
				missed: ids(missed),
			})),
		};
		return groupsToTry(trim, { items: [0, 1, 2, 3], blocks: [4], others: [5, 6], contract: [7] });
	};

	it("are first the items that look idle, then the blocks, then the rest, and the contract last", () => {
		expect(groupsAfter()).toEqual([[0, 1, 2, 3], [4], [5, 6], [7]]);
		expect(groupsAfter({ tried: [0, 1, 2, 3], kept: true })).toEqual([[4], [5, 6], [7]]);
	});

	it("are those of a harmful group but for the ones that are missed, or else its halves", () => {
		expect(groupsAfter({ tried: [0, 1, 2, 3], missed: [2] })[0]).toEqual([0, 1, 3]);
		expect(groupsAfter({ tried: [0, 1, 2, 3] }).slice(0, 2)).toEqual([
			[0, 1],
			[2, 3],
		]);
		expect(groupsAfter({ tried: [0, 1, 2, 3] }, { tried: [0, 1] }).slice(0, 3)).toEqual([[0], [1], [2, 3]]);
	});

	it("are not both halves when the first does no harm: then the second does it", () => {
		expect(groupsAfter({ tried: [0, 1, 2, 3] }, { tried: [0, 1], kept: true })[0]).toEqual([2]);
		expect(groupsAfter({ tried: [0, 1, 2, 3] }, { tried: [0, 1], kept: true }, { tried: [2], kept: true })[0]).toEqual([
			4,
		]);
	});
});

describe("the state of a run", () => {
	it("goes on from the text before when a shorter one was not kept", async () => {
		const run = await runParcels(withSpec({}, { task: (system, input) => needing(system, input) }));
		const at = run.events.findIndex(
			(event) => event.type === "edits-judged" && event.restored.length === 0 && !event.adopted,
		);
		const [before, after] = [replay(run.events.slice(0, at)), replay(run.events.slice(0, at + 1))];
		expect(searchOf(after).working).toEqual(searchOf(before).working);
		expect(searchOf(after).trim?.attempts.at(-1)).toMatchObject({ kept: false });
	});
});
