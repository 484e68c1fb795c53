/**
 * Charts as inline SVG: plain functions from figures to markup, readable without script, colour or mouse.
 *
 * It must not know a run. Invariant: every mark has its figures in a title that readers without eyes or mouse get too, and
 * a value that is not known is not drawn.
 */
import { axis, labelled, round, type Spread } from "./chart-axis.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";

export type Role = "incumbent" | "chosen" | "front" | "dominated";

export interface Mark {
	/** Marks of one variant carry one id in all charts, so that they can be lit together. */
	id: string;
	label: string;
	role: Role;
	x: Spread;
	y: Spread;
	/** Figures in words. */
	title: string;
}

/** One of the two axes: what it is called, which way is better, its highest possible value, how its ticks are written. */
export interface AxisOptions {
	name: string;
	better: "up" | "down";
	ceiling: number;
	text: (value: number) => string;
}

interface ScatterOptions {
	title: string;
	x: AxisOptions;
	y: AxisOptions;
}

const BOX = { width: 520, height: 330, left: 52, right: 16, top: 18, bottom: 44 } as const;
const LABEL = { width: 6.6, height: 15 } as const;

/** Two objectives against each other, with interval crosses and the line of what no other beats; null for fewer than two marks. */
export function scatter(marks: readonly Mark[], options: ScatterOptions): SafeHtml | null {
	if (marks.length < 2) return null;
	const x = axis(
		marks.map((mark) => mark.x),
		BOX.left,
		BOX.width - BOX.right,
		options.x.ceiling,
	);
	const y = axis(
		marks.map((mark) => mark.y),
		BOX.height - BOX.bottom,
		BOX.top,
		options.y.ceiling,
	);
	const order: readonly Role[] = ["dominated", "front", "incumbent", "chosen"];
	const drawn = [...marks].sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
	const at = (mark: Mark) => ({ x: x.place(mark.x.mean), y: y.place(mark.y.mean) });
	const labels = labelPlaces(drawn.filter((mark) => mark.role !== "dominated").reverse(), drawn.map(at), at);
	return html`<svg class="chart" viewBox="0 0 ${BOX.width} ${BOX.height}" role="img" aria-label="${options.title}">
<title>${options.title}</title>
${labelled(x.ticks, options.x.text).map(([tick, text]) => xTick(x.place(tick), text))}
${labelled(y.ticks, options.y.text).map(([tick, text]) => yTick(y.place(tick), text))}
<text class="axis-name" x="${BOX.width - BOX.right}" y="${BOX.height - 6}" text-anchor="end">${options.x.better === "down" && "← better: "}${axisWords(options.x)}${options.x.better === "up" && " →"}</text>
<text class="axis-name" x="${BOX.left}" y="11">${options.y.better === "up" ? "↑" : "↓"} better: ${axisWords(options.y)}</text>
${frontLine(marks, at, options)}
${drawn.map((mark) => cross(mark, x.place, y.place))}
${drawn.map((mark) => symbol(mark, at(mark)))}
${labels}
</svg>`;
}

function axisWords({ name, better }: AxisOptions): string {
	return `${better === "up" ? "more" : "less"} ${name}`;
}

const xTick = (at: number, text: string) =>
	html`<line class="grid" x1="${round(at)}" x2="${round(at)}" y1="${BOX.top}" y2="${BOX.height - BOX.bottom}"/><text class="tick" x="${round(at)}" y="${BOX.height - BOX.bottom + 15}" text-anchor="middle">${text}</text>`;

const yTick = (at: number, text: string) =>
	html`<line class="grid" x1="${BOX.left}" x2="${BOX.width - BOX.right}" y1="${round(at)}" y2="${round(at)}"/><text class="tick" x="${BOX.left - 7}" y="${round(at + 4)}" text-anchor="end">${text}</text>`;

/** A stair over the marks that no other beats in these two figures. */
function frontLine(
	marks: readonly Mark[],
	at: (mark: Mark) => { x: number; y: number },
	{ x, y }: Pick<ScatterOptions, "x" | "y">,
): Child {
	// Gains, so that more is better on both axes whatever the objectives.
	const gain = (axis: AxisOptions, spread: Spread) => (axis.better === "up" ? spread.mean : -spread.mean);
	const sorted = [...marks].sort((a, b) => gain(x, b.x) - gain(x, a.x) || gain(y, b.y) - gain(y, a.y));
	let best = Number.NEGATIVE_INFINITY;
	const edge = sorted.filter((mark) => {
		const better = gain(y, mark.y) > best;
		if (better) best = gain(y, mark.y);
		return better;
	});
	if (edge.length < 2) return null;
	const path = edge.map((mark, index) => {
		const place = at(mark);
		return index === 0 ? `M${round(place.x)} ${round(place.y)}` : `H${round(place.x)} V${round(place.y)}`;
	});
	return html`<path class="front-line" d="${path.join(" ")}"/>`;
}

function cross(mark: Mark, px: (value: number) => number, py: (value: number) => number): Child {
	const [cx, cy] = [round(px(mark.x.mean)), round(py(mark.y.mean))];
	const across =
		mark.x.low !== null &&
		mark.x.high !== null &&
		html`<line x1="${round(px(mark.x.low))}" x2="${round(px(mark.x.high))}" y1="${cy}" y2="${cy}"/>`;
	const along =
		mark.y.low !== null &&
		mark.y.high !== null &&
		html`<line x1="${cx}" x2="${cx}" y1="${round(py(mark.y.low))}" y2="${round(py(mark.y.high))}"/>`;
	return html`<g class="cross ${mark.role}" data-v="${mark.id}">${across}${along}</g>`;
}

function symbol(mark: Mark, { x, y }: { x: number; y: number }): SafeHtml {
	const [cx, cy] = [round(x), round(y)];
	const title = html`<title>${mark.title}</title>`;
	switch (mark.role) {
		case "incumbent":
			return html`<rect class="mark incumbent" data-v="${mark.id}" x="${round(x - 5)}" y="${round(y - 5)}" width="10" height="10">${title}</rect>`;
		case "chosen":
			return html`<path class="mark chosen" data-v="${mark.id}" d="M${cx} ${round(y - 8)} L${round(x + 8)} ${cy} L${cx} ${round(y + 8)} L${round(x - 8)} ${cy} Z">${title}</path>`;
		case "front":
			return html`<circle class="mark front" data-v="${mark.id}" cx="${cx}" cy="${cy}" r="4.5">${title}</circle>`;
		case "dominated":
			return html`<circle class="mark dominated" data-v="${mark.id}" cx="${cx}" cy="${cy}" r="3">${title}</circle>`;
	}
}

/** Labels beside their marks, each at the first of eight places that hits neither a mark nor an earlier label nor the edge. */
function labelPlaces(
	marks: readonly Mark[],
	taken: readonly { x: number; y: number }[],
	at: (mark: Mark) => { x: number; y: number },
): Child[] {
	const boxes = taken.map(({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 }));
	return marks.map((mark) => {
		const { x, y } = at(mark);
		const width = mark.label.length * LABEL.width + 4;
		const places = [
			[12, -9],
			[-12 - width, -9],
			[12, 17],
			[-12 - width, 17],
			[-width / 2, -14],
			[-width / 2, 24],
			[12, -26],
			[12, 32],
		] as const;
		for (const [dx, dy] of places) {
			const box = { left: x + dx, right: x + dx + width, top: y + dy - LABEL.height + 3, bottom: y + dy + 3 };
			const inside =
				box.left > BOX.left && box.right < BOX.width && box.top > BOX.top - 4 && box.bottom < BOX.height - BOX.bottom;
			const free = boxes.every(
				(other) => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
			);
			if (!inside || !free) continue;
			boxes.push(box);
			return html`<text class="label ${mark.role}" data-v="${mark.id}" x="${round(box.left + 2)}" y="${round(y + dy)}">${mark.label}</text>`;
		}
		return null;
	});
}

/**
 * A change with its interval around zero, right is better: whether it crosses the line is the whole message.
 * @param gain mean and interval, positive is better; each row has its own scale
 */
export function changeBar(gain: Spread, says: string, words: string): SafeHtml {
	const [low, high] = [gain.low ?? gain.mean, gain.high ?? gain.mean];
	const extent = Math.max(Math.abs(low), Math.abs(high), Math.abs(gain.mean)) * 1.1 || 1;
	const place = (value: number) => round(60 + (value / extent) * 56);
	return html`<svg class="change-bar ${says}" viewBox="0 0 120 16" role="img" aria-label="${words}"><line class="zero" x1="60" x2="60" y1="0" y2="16"/><line class="reach" x1="${place(low)}" x2="${place(high)}" y1="8" y2="8"/><line class="end" x1="${place(low)}" x2="${place(low)}" y1="5" y2="11"/><line class="end" x1="${place(high)}" x2="${place(high)}" y1="5" y2="11"/><circle cx="${place(gain.mean)}" cy="8" r="3.5"/></svg>`;
}

/** A share of a limit, 0 to 1, as a bar. */
export function shareBar(share: number, words: string): SafeHtml {
	const width = round(Math.min(1, Math.max(0, share)) * 160);
	return html`<svg class="share-bar" viewBox="0 0 160 8" role="img" aria-label="${words}"><rect class="track" width="160" height="8" rx="2"/><rect class="fill" width="${width}" height="8" rx="2"/></svg>`;
}
