/**
 * The lineage as a tree: one row a variant, indented under the first of its parents, with a line from parent to child.
 *
 * It must not know a run. Invariant: every node stands once, and a node whose parent is not there is a root.
 */
import { html, type SafeHtml } from "./safe-html.ts";

export interface TreeNode {
	id: string;
	label: string;
	parent: string | null;
	/** Said beside the label. */
	words: string;
	role: "incumbent" | "chosen" | "kept" | "retired";
}

const ROW = 20;
const INDENT = 14;
const MOST_INDENT = 12;

/** Null for fewer than two nodes. */
export function tree(nodes: readonly TreeNode[], title: string): SafeHtml | null {
	if (nodes.length < 2) return null;
	const known = new Set(nodes.map(({ id }) => id));
	const children = new Map<string | null, TreeNode[]>();
	for (const node of nodes) {
		const parent = node.parent !== null && known.has(node.parent) && node.parent !== node.id ? node.parent : null;
		children.set(parent, [...(children.get(parent) ?? []), node]);
	}
	const rows: { node: TreeNode; depth: number; from: number | null }[] = [];
	const seen = new Set<string>();
	const stack = (children.get(null) ?? []).map((node) => ({ node, depth: 0, from: null as number | null })).reverse();
	for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
		if (seen.has(next.node.id)) continue;
		seen.add(next.node.id);
		const at = rows.push(next) - 1;
		const below = (children.get(next.node.id) ?? []).map((node) => ({ node, depth: (next?.depth ?? 0) + 1, from: at }));
		stack.push(...below.reverse());
	}
	const place = (index: number) => ({
		x: 10 + Math.min(MOST_INDENT, rows[index]?.depth ?? 0) * INDENT,
		y: 12 + index * ROW,
	});
	return html`<svg class="chart tree" viewBox="0 0 900 ${rows.length * ROW + 8}" role="img" aria-label="${title}"><title>${title}</title>
${rows.map(({ from }, index) => {
	if (from === null) return null;
	const [a, b] = [place(from), place(index)];
	return html`<path class="branch" d="M${a.x} ${a.y} V${b.y} H${b.x}"/>`;
})}
${rows.map(({ node }, index) => {
	const { x, y } = place(index);
	return html`<g class="node ${node.role}" data-v="${node.id}">${nodeMark(node.role, x, y)}<text x="${x + 10}" y="${y + 4}"><tspan class="name">${node.label}</tspan> ${node.words}</text></g>`;
})}
</svg>`;
}

function nodeMark(role: TreeNode["role"], x: number, y: number): SafeHtml {
	switch (role) {
		case "incumbent":
			return html`<rect x="${x - 4.5}" y="${y - 4.5}" width="9" height="9"/>`;
		case "chosen":
			return html`<path d="M${x} ${y - 6} L${x + 6} ${y} L${x} ${y + 6} L${x - 6} ${y} Z"/>`;
		default:
			return html`<circle cx="${x}" cy="${y}" r="${role === "kept" ? 4 : 3}"/>`;
	}
}
