/**
 * Where the process starts: reads what holds for every command, and hands over to the one that was asked for. Imports only
 * what `gepa --help` needs. The environment of the process is read here and nowhere else.
 */
import { readFileSync } from "node:fs";
import { armFault } from "../adapters/fault-point.ts";
import { endWithoutOutput, settle, watchSignals } from "./exit.ts";
import { createIo } from "./output.ts";
import { createProgram, SHORT_HELP } from "./program.ts";
import { refuseSecrets } from "./secrets.ts";

const GLOBAL_FLAGS = ["--json", "--no-color", "--debug"];

await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
	const end = argv.indexOf("--");
	const flags = end < 0 ? argv : argv.slice(0, end);
	const io = createIo({
		json: flags.includes("--json"),
		color: !flags.includes("--no-color"),
		env: process.env,
		cwd: process.cwd(),
		stdin: process.stdin,
		stdout: process.stdout,
		stderr: process.stderr,
		onLostOutput: endWithoutOutput,
		watchSignals,
	});
	const debug = flags.includes("--debug");
	await settle(io, debug, async () => {
		if (argv.every((argument) => GLOBAL_FLAGS.includes(argument))) return io.out(SHORT_HELP);
		refuseSecrets(argv, io.env);
		if (io.env.GEPA_TEST_FAULT !== undefined) armFault(io.env.GEPA_TEST_FAULT);
		let result: unknown;
		const program = createProgram(readVersion(), io, async (action) => {
			result = await action();
		});
		await program.parseAsync(argv, { from: "user" });
		return result;
	});
}

function readVersion(): string {
	const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
	return (JSON.parse(text) as { version: string }).version;
}
