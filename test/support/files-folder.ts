/** A temporary folder with files in it, for tests of what people write. It is removed with the test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Absolute path of a new folder that holds these files. */
export function filesFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "gepa-files-")));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	return folder;
}
