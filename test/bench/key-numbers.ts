/** Options of the form key=number, as often as wanted, as one object. @throws Error that names what is not of this form. */
export function keyNumbers(options: readonly string[]): Record<string, number> {
	return Object.fromEntries(
		options.map((option) => {
			const [key = "", value = ""] = option.split("=");
			if (key === "" || value === "" || !Number.isFinite(Number(value)))
				throw new Error(`${option} is not of the form key=number`);
			return [key, Number(value)];
		}),
	);
}
