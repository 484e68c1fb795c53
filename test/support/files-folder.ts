/** A temporary folder with files in it, for tests of what people write. It is removed with the test. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/** Absolute path of a new folder that holds these files. */
export function filesFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
	const folder = temporaryFolder();
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	return folder;
}
