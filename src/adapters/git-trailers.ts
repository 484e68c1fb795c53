/**
 * The trailers of commit messages, and the commits that carry a `Gepa-Run`.
 * It knows the shape of a message; it must not know what the trailers mean.
 * Invariant: only the last paragraph counts, and never the subject, so that a message that talks about a run is not taken for one.
 */
import { splitNul } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";

interface RunCommit {
	commit: string;
	/** First parent; null for a root and at the edge of a shallow clone. */
	parent: string | null;
	run: string;
	trailers: Readonly<Record<string, string>>;
}

export const RUN_TRAILER = "Gepa-Run";

/** Trailers of a message; when one is given twice the first counts. Empty when the last paragraph is not all trailers. */
export function parseTrailers(message: string): Readonly<Record<string, string>> {
	const paragraphs = message
		.replaceAll("\r\n", "\n")
		.trim()
		.split(/\n[ \t]*\n/);
	const last = paragraphs.length < 2 ? undefined : paragraphs.at(-1);
	const found = new Map<string, string>();
	let key: string | undefined;
	for (const line of last?.split("\n") ?? []) {
		const match = /^([A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:[ \t]*(.*)$/.exec(line);
		if (match?.[1] !== undefined) {
			key = found.has(match[1]) ? undefined : match[1];
			if (key !== undefined) found.set(key, (match[2] ?? "").trim());
		} else if (/^[ \t]+\S/.test(line)) {
			if (key !== undefined) found.set(key, `${found.get(key)} ${line.trim()}`);
		} else if (!line.startsWith("(cherry picked from commit ")) {
			return {};
		}
	}
	return Object.fromEntries(found);
}

/**
 * Commits that carry a Gepa-Run trailer, newest first, children before parents.
 * @param revisions fixed options and validated ids, such as `--branches HEAD` or two commit ids
 */
export async function runCommits(git: GitRunner, revisions: readonly string[]): Promise<RunCommit[]> {
	const format = "--format=%H%x00%P%x00%B%x00";
	const search = ["-F", `--grep=${RUN_TRAILER}:`, "--no-commit-header", "--date-order", format];
	const fields = splitNul(await git.bytes(["rev-list", ...search, ...revisions]));
	const commits: RunCommit[] = [];
	for (let index = 0; index + 2 < fields.length; index += 3) {
		const trailers = parseTrailers(fields[index + 2] ?? "");
		const run = trailers[RUN_TRAILER];
		if (run === undefined || run === "") continue;
		const parent = (fields[index + 1] ?? "").split(" ")[0] ?? "";
		commits.push({ commit: (fields[index] ?? "").trim(), parent: parent === "" ? null : parent, run, trailers });
	}
	return commits;
}
