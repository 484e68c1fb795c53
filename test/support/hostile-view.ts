/**
 * A view in which every string that is not one of our own words holds a payload: ids, names, paths, inputs, notes, reasons,
 * models. What was equal stays equal, so that the parts still fit together.
 */
import type { RunView } from "../../src/report/view.ts";

/** Keys whose values are words of the program, which no run can change. */
const OUR_WORDS = new Set([
	...[
		"says",
		"kind",
		"state",
		"split",
		"gate",
		"objective",
		"status",
		"decision",
		"challengerName",
		"limit",
		"stoppedBy",
	],
	...["operator", "op", "what", "answer", "failures", "cost"],
]);
/** Texts of the document: a payload stands on lines of its own, so that what changed is still what changed. */
const LINES = new Set(["before", "after", "text"]);

export function hostileView(view: RunView, payload: string): RunView {
	const walk = (value: unknown, key: string): unknown => {
		if (typeof value === "string") {
			if (OUR_WORDS.has(key) || (key === "change" && /^(?:gained|lost)$/.test(value))) return value;
			return LINES.has(key) ? `${value}\n${payload}\n` : `${payload} ${value}`;
		}
		if (Array.isArray(value)) return value.map((member) => walk(member, key));
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member, name)]));
	};
	const { incumbent, winner, challenger, front, variants, ...rest } = view;
	const all = variants.map((variant) => walk(variant, "") as RunView["incumbent"]);
	const find = (id: string) => all.find((variant) => variant.id === `${payload} ${id}`) as RunView["incumbent"];
	return {
		...(walk(rest, "") as Omit<RunView, "incumbent" | "winner" | "challenger" | "front" | "variants">),
		variants: all,
		incumbent: find(incumbent.id),
		winner: winner === null ? null : find(winner.id),
		challenger: challenger === null ? null : find(challenger.id),
		front: front.map(({ id }) => find(id)),
	};
}
