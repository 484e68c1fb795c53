/**
 * Short-lived folders inside a git folder, where nobody's work tree, index or backup sees them.
 * It must not know what they are for. Invariant: a folder is gone when its use has ended, and one that a killed process
 * left behind is swept by the next use.
 */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const PREFIX = "gepa-tmp-";
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

export async function withTempFolder<T>(gitFolder: string, use: (folder: string) => Promise<T>): Promise<T> {
	await sweep(gitFolder);
	const folder = await mkdtemp(join(gitFolder, PREFIX));
	try {
		return await use(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function sweep(gitFolder: string): Promise<void> {
	for (const name of await readdir(gitFolder)) {
		if (!name.startsWith(PREFIX)) continue;
		const folder = join(gitFolder, name);
		const age = await stat(folder).then(
			({ mtimeMs }) => Date.now() - mtimeMs,
			() => 0,
		);
		if (age > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
	}
}
