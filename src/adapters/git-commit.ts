/**
 * Builds the commit of a promotion from objects, beside the user's index and work tree, and moves the ref to it.
 * It knows trees, commits and refs; it must not decide whether a promotion is allowed (git-promotion does).
 * Invariant: against its parent the commit changes the bytes of exactly one path, and a ref moves only by compare-and-swap.
 */
import { join } from "node:path";
import { DamageError, GuardError, UnavailableError } from "../errors.ts";
import { type GitFence, holdsFence } from "./git-fence.ts";
import { blobId, changesOf, commitOf, OBJECT_ID, readBlob, splitNul } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";
import { withTempFolder } from "./git-temp.ts";

export interface OneFileCommit {
	parent: string;
	path: string;
	mode: string;
	bytes: Uint8Array;
	message: string;
}

const FALLBACK = { name: "gepa", email: "gepa@localhost" };

/** Writes the blob, tree and commit, and checks the result against its parent. No ref, index or file changes. */
export async function buildCommit(git: GitRunner, gitFolder: string, wanted: OneFileCommit): Promise<string> {
	const blob = await git.text(["hash-object", "-w", "--no-filters", "--stdin"], { input: wanted.bytes });
	if (blob !== blobId(wanted.bytes, wanted.parent))
		throw new DamageError(`git stored other bytes than it was given: blob ${blob}`);
	const tree = await withTempFolder(gitFolder, async (temp) => {
		const options = { indexFile: join(temp, "index"), config: ["core.splitIndex=false", "index.sparse=false"] };
		await git.bytes(["read-tree", wanted.parent], options);
		await git.bytes(["update-index", "-z", "--index-info"], {
			...options,
			input: `${wanted.mode} ${blob}\t${wanted.path}\0`,
		});
		// Other blobs of a partial clone may not be here; they are the parent's and stay as they are.
		return git.text(["write-tree", "--missing-ok"], options);
	});
	const identity = (await hasIdentity(git)) ? {} : { identity: FALLBACK };
	const commit = await git.text(["commit-tree", tree, "-p", wanted.parent], { ...identity, input: wanted.message });
	await checkCommit(git, commit, wanted);
	return commit;
}

/** Whether name and email are configured; git's guesses from the host's name do not count. */
async function hasIdentity(git: GitRunner): Promise<boolean> {
	const { stdout } = await git.run(["config", "-z", "--get-regexp", "^user\\.(name|email)$"]);
	const given = splitNul(stdout).filter((line) => /\n\s*\S/.test(line));
	return ["user.name", "user.email"].every((key) => given.some((line) => line.startsWith(`${key}\n`)));
}

/** @throws GuardError when the commit changes anything but the bytes of the one path */
export async function checkCommit(git: GitRunner, commit: string, wanted: OneFileCommit): Promise<void> {
	const changes = (await changesOf(git, [{ commit, parent: wanted.parent }])).get(commit) ?? [];
	const [only] = changes;
	const right =
		changes.length === 1 &&
		only?.path === wanted.path &&
		only.modeBefore === wanted.mode &&
		only.modeAfter === wanted.mode &&
		only.after !== null &&
		Buffer.compare(await readBlob(git, only.after), wanted.bytes) === 0;
	if (right) return;
	throw new GuardError({
		message: `commit ${commit} does not change exactly the planned bytes of ${wanted.path}`,
		hint: `It changes: ${changes.map((change) => change.path).join(", ") || "nothing"}.`,
	});
}

interface RefMove {
	ref: string;
	/** Commit that the ref must name now; null: it must not exist. */
	from: string | null;
	to: string;
	/** Full name of a tag to create in the same transaction. */
	tagRef: string | null;
	/** What must still hold in the same transaction; null where nobody else can conduct the run. */
	fence: GitFence | null;
}

/** Why a ref did not move: somebody else moved it, holds its lock, or the tag cannot be made. */
type MoveAnswer = "moved" | "changed" | "locked" | "tag-blocked" | "fenced";

/**
 * Moves the ref and creates the tag in one transaction: both or neither.
 * @throws GuardError when a branch such as `gepa` blocks the name, UnavailableError for what git alone can explain
 */
export async function moveRef(git: GitRunner, move: RefMove): Promise<MoveAnswer> {
	const order =
		move.from === null ? `create ${move.ref}\0${move.to}\0` : `update ${move.ref}\0${move.to}\0${move.from}\0`;
	const tag = move.tagRef === null ? "" : `create ${move.tagRef}\0${move.to}\0`;
	const fence = move.fence === null ? "" : `verify ${move.fence.ref}\0${move.fence.oid}\0`;
	const { code, stderr } = await git.run(["update-ref", "-m", "gepa: promotion", "--stdin", "-z"], {
		input: fence + order + tag,
	});
	if (code === 0) return "moved";
	if (move.fence !== null && !(await holdsFence(git, move.fence))) return "fenced";
	if ((await commitOf(git, move.ref)) !== move.from) return "changed";
	if (/\.lock'?: File exists/.test(stderr)) return "locked";
	if (move.tagRef !== null && stderr.includes(move.tagRef)) return "tag-blocked";
	const inTheWay = /'(refs\/heads\/[^']+)' exists; cannot create/.exec(stderr);
	if (inTheWay !== null) {
		throw new GuardError({
			message: `the branch ${move.ref} cannot be created: ${inTheWay[1]} is in its way`,
			hint: `Rename that branch, or promote to the branch that is checked out.`,
		});
	}
	throw new UnavailableError({ message: `git could not move ${move.ref}: ${stderr}` });
}

/** @throws GuardError unless this is the full name of a branch that git itself accepts */
export async function checkBranch(git: GitRunner, ref: string): Promise<void> {
	const plain = ref.startsWith("refs/heads/") && !/[\0-\x20\x7f]/.test(ref);
	if (plain && (await git.run(["check-ref-format", ref])).code === 0) return;
	throw new GuardError({ message: `${JSON.stringify(ref)} is no full name of a branch` });
}

/** @throws GuardError unless the tag looks like gepa/dataviz/v1 */
export function checkTag(tag: string): void {
	if (/^gepa\/[a-z0-9][a-z0-9-]{0,63}\/v[1-9]\d{0,8}$/.test(tag)) return;
	throw new GuardError({ message: `${JSON.stringify(tag)} is no tag of a version, such as gepa/dataviz/v1` });
}

/** @throws GuardError unless this is the full id of an object */
export function checkId(oid: string, what: string): void {
	if (!OBJECT_ID.test(oid)) throw new GuardError({ message: `${what} ${JSON.stringify(oid)} is no full object id` });
}
