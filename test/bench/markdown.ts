/** Figures and tables in Markdown. */

export const mean = (values: readonly number[]) =>
	values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Standard error of a mean; 0 for a single value, which says nothing of it. */
export function standardError(values: readonly number[]): number {
	if (values.length < 2) return 0;
	const middle = mean(values);
	const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
	return Math.sqrt(squares / (values.length - 1) / values.length);
}

/** `0.952 ± 0.004`, the second being the standard error. */
export function cell(values: readonly number[], digits = 3): string {
	if (values.length === 0) return "–";
	const middle = mean(values).toFixed(digits);
	return values.length === 1 ? middle : `${middle} ± ${standardError(values).toFixed(digits)}`;
}

/** `3 of 40 (8 %)`. */
export const share = (part: number, whole: number) =>
	whole === 0 ? "–" : `${part} of ${whole} (${Math.round((100 * part) / whole)} %)`;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
	return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
