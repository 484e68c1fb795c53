/**
 * Walks the history for what gepa committed to a skill, with the bytes before and after.
 * It knows commits and their trailers; it must not judge them (`gepa verify` does).
 * Invariant: bytes are those of the objects, never of a work tree, and replaced or grafted history is not believed.
 */
import type { EvolvedCommit } from "../ports/skills-repository.ts";
import { headCommit } from "./git-layout.ts";
import { changesOf, readBlobs } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";
import { runCommits } from "./git-trailers.ts";

/**
 * Every commit with a Gepa-Run trailer that changed one of these paths, newest first, over all local branches and HEAD.
 * At the edge of a shallow clone the parent is not there: `parent` and `before` are then null.
 */
export async function evolvedCommits(git: GitRunner, paths: readonly string[]): Promise<EvolvedCommit[]> {
	const head = await headCommit(git);
	const commits = await runCommits(git, head === null ? ["--branches"] : ["--branches", head]);
	const changes = await changesOf(git, commits);
	const touching = commits.flatMap((commit) => {
		const all = changes.get(commit.commit) ?? [];
		const change = all.find(({ path }) => paths.includes(path));
		return change === undefined ? [] : [{ ...commit, change, paths: all.map(({ path }) => path) }];
	});
	const wanted = touching.flatMap(({ change }) => [change.before, change.after]).filter((oid) => oid !== null);
	const blobs = await readBlobs(git, wanted);
	const bytesOf = (oid: string | null) => (oid === null ? null : (blobs.get(oid) ?? null));
	return touching.map(({ change, ...commit }) => ({
		...commit,
		before: bytesOf(change.before),
		after: bytesOf(change.after),
	}));
}
