/**
 * The fence of a skill as its repository keeps it: `refs/gepa/fence/<skill>` names a blob that holds the highest number seen. A
 * promotion verifies it in the very transaction that moves the branch, so a conductor that was cut off cannot land a commit
 * once a later one has been here. Knows refs and one number; must not know what is promoted.
 */
import { UnavailableError } from "../errors.ts";
import { OBJECT_ID, readBlob } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";
import { checkSkillName } from "./git-skill-paths.ts";

export interface GitFence {
	ref: string;
	/** What the ref must still name when the branch moves. */
	oid: string;
}

const MOST_TRIES = 20;

/** Raises the fence to this number. @returns null when it is higher already */
export async function raiseFence(git: GitRunner, skill: string, fence: number): Promise<GitFence | null> {
	checkSkillName(skill);
	const ref = `refs/gepa/fence/${skill}`;
	const oid = await git.text(["hash-object", "-w", "--no-filters", "--stdin"], { input: `${fence}\n` });
	let stderr = "";
	for (let tries = 0; tries < MOST_TRIES; tries++) {
		const before = await fenceAt(git, ref);
		if (before === oid) return { ref, oid };
		if (before !== null && numberIn(await readBlob(git, before)) > fence) return null;
		const order = before === null ? `create ${ref}\0${oid}\0` : `update ${ref}\0${oid}\0${before}\0`;
		const answer = await git.run(["update-ref", "--stdin", "-z"], { input: order });
		if (answer.code === 0) return { ref, oid };
		stderr = answer.stderr;
	}
	throw new UnavailableError({ message: `git could not move ${ref}: ${stderr}` });
}

/** Whether the fence still is what it was raised to. */
export async function holdsFence(git: GitRunner, { ref, oid }: GitFence): Promise<boolean> {
	return (await fenceAt(git, ref)) === oid;
}

async function fenceAt(git: GitRunner, ref: string): Promise<string | null> {
	const { code, stdout } = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
	const oid = stdout.toString("utf8").trim();
	return code === 0 && OBJECT_ID.test(oid) ? oid : null;
}

function numberIn(bytes: Uint8Array): number {
	return Number(Buffer.from(bytes).toString("utf8").trim()) || 0;
}
