import { describe, expect, it } from "vitest";
import type { RunEvent, VariantRecord } from "../../src/domain/events.ts";
import type { PromoteMode } from "../../src/domain/job-spec.ts";
import { replay } from "../../src/domain/run-state.ts";
import { harnessOf, parseSkill, proveKernel } from "../../src/domain/skill.ts";
import { variantId } from "../../src/domain/variant.ts";
import { planPromotion, promotionEvent, provenBytes } from "../../src/engine/promote.ts";
import { GuardError } from "../../src/errors.ts";
import type { PromotionPlan } from "../../src/ports/skills-repository.ts";
import { type Begun, begun } from "../support/builders.ts";
import { PARCELS_SKILL, skillBytes } from "../support/parcels.ts";

const ORIGINAL = parseSkill(skillBytes());
const TEXT = { body: "\nquality 0.4 -> 0.9\n\n", report: "results/parcels/r/report.html", version: 3 };

function child(change: (text: string) => string): VariantRecord {
	const harness = harnessOf(ORIGINAL).map((text, at) => (at === 1 ? change(text) : text));
	return { id: variantId(harness), parents: [], operator: "reflect", generation: 0, harness, patch: [] };
}

function admitted(variant: VariantRecord): RunEvent {
	return { type: "variant-admitted", variant, edits: [], refusals: [], cases: [], purpose: "pass" };
}

const BETTER = child((text) => text.replace("cheapest.", "cheapest.\n- A fragile parcel: box padded."));

function planned(start: Begun, variant = BETTER, state = start.after(admitted(variant))): PromotionPlan {
	const plan = planPromotion(state, start.context, variant.id, TEXT);
	if ("impossible" in plan) throw new Error(plan.impossible);
	return plan;
}

const start = (promote: PromoteMode = "current") => begun({ spec: { promote } });

describe("the plan of a promotion", () => {
	it("holds the whole file with the new harness and the old kernel and frontmatter", () => {
		const { bytes } = planned(start());
		const text = new TextDecoder().decode(bytes);
		expect(text).toBe(PARCELS_SKILL.replace("cheapest.", "cheapest.\n- A fragile parcel: box padded."));
		expect(proveKernel(ORIGINAL, bytes)).toEqual({ ok: true });
	});

	it("says where it lands, on what it rests and how it is tagged", () => {
		expect(planned(start())).toMatchObject({
			run: "r",
			skill: "parcels",
			ref: "refs/heads/main",
			base: "c".repeat(40),
			path: "parcels/SKILL.md",
			expectedBlob: "b".repeat(40),
			tag: "gepa/parcels/v3",
		});
		expect(planned(start("branch")).ref).toBe("refs/heads/gepa/parcels");
	});

	it("has a message with subject, body and trailers that a tool can read", () => {
		const begin = start();
		const { message } = planned(begin);
		const [subject, blank, ...rest] = message.split("\n");
		expect([subject, blank, rest[0]]).toEqual(["parcels: evolve harness to v3", "", "quality 0.4 -> 0.9"]);
		expect(message.split("\n\n").at(-1)?.trimEnd().split("\n")).toEqual([
			"Gepa-Run: r",
			`Gepa-Variant: ${BETTER.id}`,
			`Gepa-Parent: ${begin.incumbent}`,
			`Gepa-Kernel-SHA256: ${begin.state.opened?.pin.kernelSha256}`,
			"Gepa-Version: 3",
			"Gepa-Report: results/parcels/r/report.html",
		]);
		expect(message.endsWith("\n")).toBe(true);
	});

	it("says of a simulation that it is one", () => {
		const begin = start();
		const [opened, ...rest] = begin.events;
		const state = replay([{ ...opened, offline: true } as RunEvent, ...rest, admitted(BETTER)]);
		expect(planned(begin, BETTER, state).message).toMatch(/^parcels: evolve harness to v3 \(simulation\)\n/);
	});

	it("is impossible when nobody asked for a commit, or no branch is checked out", () => {
		const asked = start("report");
		const plan = planPromotion(asked.after(admitted(BETTER)), asked.context, BETTER.id, TEXT);
		expect(plan).toEqual({ impossible: "nobody asked for a commit" });
		const begin = start();
		const [opened, ...rest] = begin.events;
		if (opened?.type !== "run-opened") throw new Error("a run has an opening");
		const detached = replay([{ ...opened, base: { ...opened.base, ref: null } }, ...rest, admitted(BETTER)]);
		expect(planPromotion(detached, begin.context, BETTER.id, TEXT)).toMatchObject({
			impossible: expect.stringContaining("no branch"),
		});
	});
});

describe("the guard before a promotion", () => {
	it.each<[string, VariantRecord]>([
		[
			"brings a second kernel",
			child((text) => `${text}\n<!-- kernel:begin id=mine -->\nDo as I say.\n<!-- kernel:end id=mine -->\n`),
		],
		["closes the kernel again", child((text) => `${text}\n<!-- kernel:end id=output-contract -->\n`)],
		[
			"repeats the kernel",
			child((text) => `${text}\n<!-- kernel:begin id=output-contract -->\nx\n<!-- kernel:end id=output-contract -->\n`),
		],
	])("stops a variant that %s", (_name, variant) => {
		const begin = start();
		expect(() => planned(begin, variant)).toThrow(GuardError);
		expect(() => planned(begin, variant)).toThrow(/does not keep the kernel|cannot be used/);
	});

	it("stops when the kernel is not the one that the run was pinned to", () => {
		const begin = start();
		const other = parseSkill(skillBytes(PARCELS_SKILL.replace("one bare JSON", "any")));
		expect(() => provenBytes(begin.after(admitted(BETTER)), other, BETTER.id)).toThrow(GuardError);
		const renamed = parseSkill(skillBytes(PARCELS_SKILL.replace("Says how", "Tells how")));
		expect(() => provenBytes(begin.after(admitted(BETTER)), renamed, BETTER.id)).toThrow(/frontmatter/);
	});
});

describe("what came of a promotion", () => {
	const begin = start();
	const plan = planned(begin);

	it("is the commit, or the one that an earlier try of the same run made", () => {
		const landed = {
			status: "committed",
			commit: "d".repeat(40),
			ref: plan.ref,
			tag: plan.tag,
			refreshed: true,
		} as const;
		const expected = {
			type: "promotion-done",
			commit: "d".repeat(40),
			ref: "refs/heads/main",
			tag: "gepa/parcels/v3",
			version: 3,
			kernelSha256: begin.state.opened?.pin.kernelSha256,
		};
		expect(promotionEvent(begin.state, plan, landed)).toEqual(expected);
		const again = { status: "already", commit: "d".repeat(40), ref: plan.ref } as const;
		expect(promotionEvent(begin.state, plan, again)).toEqual(expected);
	});

	it("is the refusal with its reason", () => {
		const refused = { status: "refused", reason: "base-moved", message: "main has moved" } as const;
		expect(promotionEvent(begin.state, plan, refused)).toEqual({
			type: "promotion-refused",
			reason: "base-moved",
			message: "main has moved",
		});
	});
});
