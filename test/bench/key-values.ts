/** Options of the form key=value, as often as wanted, as one object; numbers and true/false as such. @throws Error that names the option. */
export function keyValues(options: readonly string[]): Record<string, number | boolean | string> {
	return Object.fromEntries(
		options.map((option) => {
			const at = option.indexOf("=");
			const [key, value] = [option.slice(0, at), option.slice(at + 1)];
			if (at < 1 || value === "") throw new Error(`${option} is not of the form key=value`);
			if (value === "true" || value === "false") return [key, value === "true"];
			return [key, Number.isFinite(Number(value)) ? Number(value) : value];
		}),
	);
}

/** The same where only numbers make sense. @throws Error that names the option. */
export function keyNumbers(options: readonly string[]): Record<string, number> {
	const values = keyValues(options);
	const odd = Object.entries(values).find(([, value]) => typeof value !== "number");
	if (odd) throw new Error(`${odd.join("=")}: a number is wanted`);
	return values as Record<string, number>;
}
