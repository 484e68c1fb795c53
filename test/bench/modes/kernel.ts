/** Random edits of skills: does any byte of a kernel change? Runs the property test with more edits than `npm test`. */
import { spawnSync } from "node:child_process";

export interface KernelRow {
	edits: number;
	unchanged: boolean;
	/** What the test said when something changed. */
	output: string;
}

export function measureKernel(quick: boolean): KernelRow {
	const edits = quick ? 100_000 : 1_000_000;
	const args = ["vitest", "run", "--project", "property", "test/property/kernel-edits.test.ts"];
	const { status, stdout } = spawnSync("npx", args, {
		env: { ...process.env, GEPA_EDITS: String(edits) },
		encoding: "utf8",
	});
	return { edits, unchanged: status === 0, output: status === 0 ? "" : stdout.slice(-3000) };
}
