/**
 * All four objectives of all variants at once: one line a variant, one upright axis an objective, better is always up.
 *
 * It must not know a run. Invariant: a value that is not known is drawn at the foot, in its own place, never left out.
 */
import { type Axis, axis, labelled, round } from "./chart-axis.ts";
import type { Role } from "./charts.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";

export interface Line {
	id: string;
	label: string;
	role: Role;
	/** In the order of the axes; null where not known. */
	values: readonly (number | null)[];
	title: string;
}

export interface ParallelAxis {
	key: string;
	name: string;
	better: "up" | "down";
	ceiling: number;
	text: (value: number) => string;
}

const BOX = { width: 520, height: 330, left: 62, right: 88, top: 34, bottom: 52 } as const;

/** Null for fewer than two lines. The axes are drawn last, so that no line strikes a figure through. */
export function parallel(lines: readonly Line[], axes: readonly ParallelAxis[], title: string): SafeHtml | null {
	if (lines.length < 2) return null;
	const foot = BOX.height - BOX.bottom;
	const at = (index: number) => BOX.left + (index * (BOX.width - BOX.left - BOX.right)) / Math.max(1, axes.length - 1);
	const scales = axes.map((one, index) => {
		const known = lines.flatMap((line) => line.values[index] ?? []);
		const spreads = (known.length === 0 ? [0] : known).map((mean) => ({ mean, low: null, high: null }));
		const [from, to] = one.better === "up" ? [foot, BOX.top] : [BOX.top, foot];
		return axis(spreads, from, to, one.ceiling);
	});
	const unknown = foot + 20;
	const isMissing = lines.some((line) => axes.some((_, index) => line.values[index] == null));
	const place = (line: Line, index: number) => {
		const value = line.values[index];
		return { x: at(index), y: value == null ? unknown : (scales[index]?.place(value) ?? unknown) };
	};
	const order: readonly Role[] = ["dominated", "front", "incumbent", "chosen"];
	const drawn = [...lines].sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
	return html`<svg class="chart parallel" viewBox="0 0 ${BOX.width} ${BOX.height}" role="img" aria-label="${title}">
<title>${title}</title>
${isMissing && html`<text class="tick" x="4" y="${unknown + 4}">not known</text>`}
${drawn.map((line) =>
	polyline(
		line,
		axes.map((_, index) => place(line, index)),
	),
)}
${axes.map((one, index) => axisLine(one, at(index), scales[index] as Axis))}
${endLabels(drawn, (line) => place(line, axes.length - 1))}
</svg>`;
}

/** The values at both ends stand in the markup, so that a script can say what a place on the axis means. */
function axisLine(one: ParallelAxis, x: number, { start, end, ticks, place }: Axis): Child {
	const [top, foot] = one.better === "up" ? [end, start] : [start, end];
	const marks = labelled(ticks, one.text).map(
		([tick, text]) =>
			html`<line class="notch" x1="${round(x - 3)}" x2="${round(x + 3)}" y1="${round(place(tick))}" y2="${round(place(tick))}"/><text class="tick halo" x="${round(x - 6)}" y="${round(place(tick) + 4)}" text-anchor="end">${text}</text>`,
	);
	return html`<g class="axis" data-axis="${one.key}" data-name="${one.name}" data-top="${top}" data-foot="${foot}"><line class="rail" x1="${round(x)}" x2="${round(x)}" y1="${BOX.top}" y2="${BOX.height - BOX.bottom}"/>${marks}<text class="axis-name" x="${round(x)}" y="14" text-anchor="middle">${one.name}</text><text class="tick" x="${round(x)}" y="27" text-anchor="middle">↑ ${one.better === "up" ? "more" : "less"}</text></g>`;
}

/** Names at the right end, best line first; one that would cover another is left to its title. */
function endLabels(lines: readonly Line[], end: (line: Line) => { x: number; y: number }): Child[] {
	const taken: number[] = [];
	return [...lines].reverse().map((line) => {
		const { x, y } = end(line);
		if (line.role === "dominated" || taken.some((other) => Math.abs(other - y) < 13)) return null;
		taken.push(y);
		return html`<text class="label ${line.role}" data-v="${line.id}" x="${round(x + 7)}" y="${round(y + 4)}">${line.label}</text>`;
	});
}

function polyline(line: Line, points: readonly { x: number; y: number }[]): SafeHtml {
	const path = points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join(" ");
	return html`<g class="line ${line.role}" data-v="${line.id}"><title>${line.title}</title><path d="${path}"/>${points.map(({ x, y }) => html`<circle cx="${round(x)}" cy="${round(y)}" r="2.6"/>`)}</g>`;
}
