import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAppendFile } from "../../src/adapters/append-file.ts";
import { LaterError, UnavailableError } from "../../src/errors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** No test can fill a disk of its own, so the system's answer is put in its place. */
function refuseWrites(code: string): void {
	const { writeSync } = fs;
	const restore = () => {
		fs.writeSync = writeSync;
		syncBuiltinESMExports();
	};
	fs.writeSync = () => {
		throw Object.assign(new Error(`${code}: scripted`), { code });
	};
	syncBuiltinESMExports();
	onTestFinished(restore);
}

describe("a line that the disk refuses", () => {
	it.each([
		["ENOSPC", LaterError, /Free some space/],
		["EDQUOT", LaterError, /Free some space/],
		["EIO", UnavailableError, /Look at the disk/],
	])("with %s ends the command by its kind, and leaves the file as it was", (code, kind, hint) => {
		const path = join(temporaryFolder(), "log.jsonl");
		const file = openAppendFile({ path, accept: () => true });
		file.append("one");
		refuseWrites(code);
		let thrown: unknown;
		try {
			file.append("two");
		} catch (error) {
			thrown = error;
		}
		expect(thrown).toBeInstanceOf(kind);
		expect((thrown as LaterError).message).toContain(`cannot write to ${path}`);
		expect((thrown as LaterError).hint).toMatch(hint);
		expect(fs.readFileSync(path, "utf8")).toBe("one\n");
	});
});
