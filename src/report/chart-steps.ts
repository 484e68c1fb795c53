/**
 * One figure over another as a stair or a line, such as spend over time. It must not know a run. Invariant: what is drawn is
 * said in words too.
 */
import { axis, labelled, round } from "./chart-axis.ts";
import { html, type SafeHtml } from "./safe-html.ts";

interface StepsOptions {
	title: string;
	xName: string;
	yName: string;
	xText: (value: number) => string;
	yText: (value: number) => string;
	/** A level that is not to be passed, with its name. */
	limit?: { value: number; name: string } | undefined;
	/** A stair holds its level until the next point; a line goes straight there. */
	shape: "stair" | "line";
	/** Whether only whole numbers mean anything across. */
	whole?: boolean;
	/** A second line to compare with, drawn dashed. */
	other?: readonly { x: number; y: number }[];
}

const BOX = { width: 520, height: 220, left: 58, right: 16, top: 18, bottom: 40 } as const;

/** Null for fewer than two points. */
export function steps(points: readonly { x: number; y: number }[], options: StepsOptions): SafeHtml | null {
	if (points.length < 2) return null;
	const spread = (mean: number) => ({ mean, low: null, high: null });
	const levels = [
		0,
		...points.map(({ y }) => y),
		...(options.other ?? []).map(({ y }) => y),
		...(options.limit === undefined ? [] : [options.limit.value]),
	];
	const x = axis(
		points.map((point) => spread(point.x)),
		BOX.left,
		BOX.width - BOX.right,
		Number.POSITIVE_INFINITY,
	);
	const y = axis(levels.map(spread), BOX.height - BOX.bottom, BOX.top, Number.POSITIVE_INFINITY);
	const path = points.map((point, index) => {
		const [px, py] = [round(x.place(point.x)), round(y.place(point.y))];
		return index === 0 ? `M${px} ${py}` : options.shape === "stair" ? `H${px} V${py}` : `L${px} ${py}`;
	});
	const line = (other: readonly { x: number; y: number }[]) =>
		other
			.map((point, index) => `${index === 0 ? "M" : "L"}${round(x.place(point.x))} ${round(y.place(point.y))}`)
			.join(" ");
	const bottom = BOX.height - BOX.bottom;
	const limit = options.limit;
	return html`<svg class="chart" viewBox="0 0 ${BOX.width} ${BOX.height}" role="img" aria-label="${options.title}">
<title>${options.title}</title>
${labelled(options.whole ? x.ticks.filter(Number.isInteger) : x.ticks, options.xText).map(([tick, text]) => html`<line class="grid" x1="${round(x.place(tick))}" x2="${round(x.place(tick))}" y1="${BOX.top}" y2="${bottom}"/><text class="tick" x="${round(x.place(tick))}" y="${bottom + 15}" text-anchor="middle">${text}</text>`)}
${labelled(y.ticks, options.yText).map(([tick, text]) => html`<line class="grid" x1="${BOX.left}" x2="${BOX.width - BOX.right}" y1="${round(y.place(tick))}" y2="${round(y.place(tick))}"/><text class="tick" x="${BOX.left - 7}" y="${round(y.place(tick) + 4)}" text-anchor="end">${text}</text>`)}
<text class="axis-name" x="${BOX.width - BOX.right}" y="${BOX.height - 6}" text-anchor="end">${options.xName}</text>
<text class="axis-name" x="${BOX.left}" y="11">${options.yName}</text>
${limit !== undefined && html`<line class="limit" x1="${BOX.left}" x2="${BOX.width - BOX.right}" y1="${round(y.place(limit.value))}" y2="${round(y.place(limit.value))}"/><text class="tick halo" x="${BOX.width - BOX.right}" y="${round(y.place(limit.value) + 13)}" text-anchor="end">${limit.name}</text>`}
${options.other !== undefined && options.other.length > 1 && html`<path class="steps other" d="${line(options.other)}"/>`}
<path class="steps" d="${path.join(" ")}"/>
${points.length <= 40 && points.map((point) => html`<circle class="step-point" cx="${round(x.place(point.x))}" cy="${round(y.place(point.y))}" r="2.6"/>`)}
</svg>`;
}
