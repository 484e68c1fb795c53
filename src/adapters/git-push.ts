/**
 * Pushes a branch and its tag to the branch's upstream, never by force.
 * It knows remotes; it must not start a program that the repository's own configuration or a repository inside it names.
 * Invariant: a push that fails leaves everything here as it was and says why, without passwords.
 */

import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { checkBranch, checkTag } from "./git-commit.ts";
import { workTrees } from "./git-layout.ts";
import { commitOf, splitNul } from "./git-objects.ts";
import type { GitRunner } from "./git-runner.ts";

/** Settings that name a program; a repository that came from elsewhere must not choose what runs here. */
const PROGRAMS =
	/^(?:core\.(?:sshcommand|askpass|gitproxy)|credential\.(?:.*\.)?helper|remote\..*\.(?:receivepack|vcs))$/;
const REMOTE_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/;

export async function push(git: GitRunner, ref: string, tag: string): Promise<{ pushed: boolean; message: string }> {
	await checkBranch(git, ref);
	checkTag(tag);
	const program = await programOfRepository(git);
	if (program !== null) {
		const by = `git push, if you trust it`;
		return {
			pushed: false,
			message: `not pushed: this repository's configuration names a program (${program}). Push by hand with ${by}.`,
		};
	}
	const target = await upstreamOf(git, ref);
	if (target === null) {
		return {
			pushed: false,
			message: `not pushed: ${ref} has no upstream and there is no single remote. Set one with git push -u.`,
		};
	}
	const inside = await remoteInside(git, target.remote);
	if (inside !== null) {
		const why = `the remote ${target.remote} ${inside}`;
		return { pushed: false, message: `not pushed: ${why}. Push by hand with git push, if you trust it.` };
	}
	const tagRef = `refs/tags/${tag}`;
	const refspecs = [`${ref}:${target.ref}`, ...((await commitOf(git, tagRef)) === null ? [] : [`${tagRef}:${tagRef}`])];
	const off = ["--no-verify", "--no-follow-tags", "--no-signed", "--no-force-with-lease", "--recurse-submodules=no"];
	const output = await git
		.run(["push", "--porcelain", ...off, "--", target.remote, ...refspecs], {
			network: true,
			config: await quietSsh(git),
		})
		.catch((error: unknown) => ({
			code: -1,
			stdout: Buffer.alloc(0),
			stderr: error instanceof Error ? error.message : String(error),
		}));
	const said = summary(output.stdout.toString("utf8"));
	if (output.code === 0) return { pushed: true, message: `pushed to ${target.remote}: ${withoutPasswords(said)}` };
	const message = withoutPasswords([said, output.stderr].filter((part) => part !== "").join("; "));
	return { pushed: false, message: `not pushed to ${target.remote}: ${message}` };
}

/** ssh opens the terminal by itself, past GIT_TERMINAL_PROMPT; in batch mode it fails instead of waiting. */
async function quietSsh(git: GitRunner): Promise<string[]> {
	const { code } = await git.run(["config", "--get", "core.sshCommand"]);
	return code === 0 ? [] : ["core.sshCommand=ssh -o BatchMode=yes"];
}

async function programOfRepository(git: GitRunner): Promise<string | null> {
	const fields = splitNul(await git.bytes(["config", "--list", "--show-scope", "--name-only", "-z"]));
	for (let index = 0; index + 1 < fields.length; index += 2) {
		const [scope, key = ""] = [fields[index], fields[index + 1]];
		if ((scope === "local" || scope === "worktree") && PROGRAMS.test(key)) return key;
	}
	return null;
}

/**
 * Why a remote may not be pushed to, null when it may: a push to a folder runs the hooks there, and whoever supplied this
 * repository supplied those inside its work tree or git folder too.
 */
async function remoteInside(git: GitRunner, remote: string): Promise<string | null> {
	const gitFolders = await git.text(["rev-parse", "--absolute-git-dir", "--git-common-dir"]);
	const trees = (await workTrees(git)).map((tree) => tree.folder);
	const ours = [git.folder, ...gitFolders.split("\n"), ...trees];
	const places = await Promise.all(ours.map((place) => whereIs(git.folder, place)));
	// Asked of git, so that its rules for replacing addresses count.
	const told = await git.run(["remote", "get-url", "--push", "--all", "--", remote]);
	if (told.code !== 0) return "has no address";
	for (const path of told.stdout.toString("utf8").split("\n").flatMap(pathsOf)) {
		const at = await whereIs(git.folder, path);
		if (places.some((place) => isWithin(place, at)))
			return `lies inside this repository (${path}) with hooks of its own`;
	}
	return null;
}

/** Paths that an address may mean on this machine; none for an address of another one. */
function pathsOf(address: string): string[] {
	if (address === "") return [];
	if (/^file:\/\//i.test(address)) {
		const path = address.slice("file://".length).replace(/^[^/]*/, "");
		const decode = (run: string) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8");
		return [path, path.replace(/(?:%[0-9a-f]{2})+/gi, decode)];
	}
	const isElsewhere = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) || /^[^/]*:/.test(address);
	return isElsewhere ? [] : [address];
}

/** Without links; a path that is not there stands for itself. */
async function whereIs(from: string, path: string): Promise<string> {
	const absolute = resolve(from, path);
	return realpath(absolute).catch(() => absolute);
}

function isWithin(folder: string, path: string): boolean {
	const below = relative(folder, path);
	return below !== ".." && !below.startsWith("../") && !isAbsolute(below);
}

async function upstreamOf(git: GitRunner, ref: string): Promise<{ remote: string; ref: string } | null> {
	const format = "--format=%(push:remotename)%00%(upstream:remotename)%00%(upstream:remoteref)";
	const [pushTo = "", from = "", upstreamRef = ""] = (await git.text(["for-each-ref", format, ref])).split("\0");
	const remotes = (await git.text(["remote"])).split("\n").filter((name) => name !== "");
	const remote = [pushTo, from, remotes.length === 1 ? remotes[0] : "origin"].find(
		(name) => name !== undefined && name !== "",
	);
	if (remote === undefined || !remotes.includes(remote) || !REMOTE_NAME.test(remote)) return null;
	return { remote, ref: remote === from && upstreamRef.startsWith("refs/heads/") ? upstreamRef : ref };
}

/** The lines of `--porcelain` that speak of refs: flag, from:to, what happened. */
function summary(porcelain: string): string {
	const lines = porcelain.split("\n").filter((line) => /^[ +\-*!=]\t/.test(line));
	return lines.map((line) => line.slice(2).replace("\t", " ")).join("; ");
}

function withoutPasswords(text: string): string {
	return text
		.replace(/\/\/[^/\s@]*@/g, "//")
		.replaceAll("\n", " ")
		.slice(0, 1000);
}
