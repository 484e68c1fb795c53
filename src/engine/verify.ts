/**
 * The proof that no run ever touched a kernel: compares what each commit of a run left with what its parent had. Pure: the
 * commits are handed in. Must not trust what a commit says of itself; trailers can only add an accusation.
 */
import { pinOf } from "../domain/kernel.ts";
import { parseSkill, proveKernel, type Skill } from "../domain/skill.ts";
import { InputError } from "../errors.ts";
import type { EvolvedCommit } from "../ports/skills-repository.ts";

export interface CommitProof {
	commit: string;
	run: string;
	/** `unknown`: the parent is not in this clone, so nothing can be said. */
	verdict: "intact" | "broken" | "unknown";
	/** What is wrong or missing; empty when intact. */
	reasons: readonly string[];
	/** Regions that were compared. */
	kernels: number;
}

/** `ok` is true only when every commit is intact; with no commits there is nothing to disprove. */
export function verifyEvolution(commits: readonly EvolvedCommit[]): { ok: boolean; results: CommitProof[] } {
	const results = commits.map(verifyCommit);
	return { ok: results.every(({ verdict }) => verdict === "intact"), results };
}

function verifyCommit({ commit, run, parent, before, after, paths, trailers }: EvolvedCommit): CommitProof {
	const proof = (verdict: CommitProof["verdict"], reasons: readonly string[], kernels = 0) => ({
		commit,
		run,
		verdict,
		reasons,
		kernels,
	});
	if (parent === null)
		return proof("unknown", ["its parent is not in this repository (a shallow clone, or the first commit)"]);
	if (before === null) return proof("broken", ["it created the file: its parent has none to compare with"]);
	if (after === null) return proof("broken", ["it removed the file"]);
	const original = parse(before);
	if (typeof original === "string") return proof("broken", [`what its parent has cannot be read: ${original}`]);
	const reasons: string[] = [];
	const others = paths.length - 1;
	if (others > 0)
		reasons.push(`it changed ${others} other ${others === 1 ? "path" : "paths"}: ${paths.slice(0, 5).join(", ")}`);
	const kept = proveKernel(original, after);
	if (!kept.ok) reasons.push(kept.reason);
	const { kernelSha256, regions } = pinOf(original);
	const stated = trailers["Gepa-Kernel-SHA256"];
	if (stated !== undefined && stated !== kernelSha256)
		reasons.push(
			`its trailer names the kernel ${stated.slice(0, 16)}, but its parent has ${kernelSha256.slice(0, 16)}`,
		);
	return proof(reasons.length === 0 ? "intact" : "broken", reasons, regions.length);
}

function parse(bytes: Uint8Array): Skill | string {
	try {
		return parseSkill(bytes);
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		return error.message;
	}
}
