/**
 * The git repository that holds the skills. It is read at a commit, and written only by promotion.
 */

/** A skill as one commit holds it. */
export interface SkillAtBase {
	/** Commit that the run starts from. */
	commit: string;
	/** Path of the SKILL.md inside the repository, with forward slashes. */
	path: string;
	/** Blob id of that file. */
	blob: string;
	bytes: Uint8Array;
	/** Branch that `promote: current` would move: full ref name, or null when there is none (detached HEAD). */
	currentRef: string | null;
}

/** The pure plan of a promotion: everything that will be written, before anything is. */
export interface PromotionPlan {
	run: string;
	skill: string;
	/** Full ref that is moved, such as refs/heads/main. */
	ref: string;
	/** Commit that the new one is based on and that the ref must still name; for a new branch, the commit it starts from. */
	base: string;
	path: string;
	/** Blob that the path must still have at the tip. */
	expectedBlob: string;
	bytes: Uint8Array;
	/** Whole commit message with trailers. */
	message: string;
	/** Tag to set, such as gepa/dataviz/v1. */
	tag: string;
}

export type PromotionResult =
	| {
			status: "committed";
			commit: string;
			ref: string;
			tag: string;
			/** Whether the files in the work tree were refreshed too. */
			refreshed: boolean;
			/** Commit that already holds the tag (or what blocks its name); the tag was then not set. */
			tagTakenBy?: string;
	  }
	| { status: "already"; commit: string; ref: string }
	| {
			status: "refused";
			reason: "base-moved" | "ref-locked" | "dirty" | "foreign-commit" | "checked-out" | "not-found";
			message: string;
	  };

/** One commit of a skill's history that carries a Gepa-Run trailer. */
export interface EvolvedCommit {
	commit: string;
	parent: string | null;
	run: string;
	trailers: Readonly<Record<string, string>>;
	before: Uint8Array | null;
	after: Uint8Array | null;
	/** Paths that the commit changed. */
	paths: readonly string[];
}

export interface SkillsRepository {
	/** Absolute path of the repository, for messages. */
	readonly root: string;
	/** Names of the skills at the tip: folders with a SKILL.md. */
	list(): Promise<{ name: string; path: string }[]>;
	/** @throws InputError when there is no such skill, UnavailableError when this is no usable repository. */
	read(skill: string, options?: { commit?: string }): Promise<SkillAtBase>;
	/** Complaints that would stop a promotion, found before any money is spent: dirty skill folder, detached HEAD, foreign commits. */
	preflight(skill: string, mode: "current" | "branch"): Promise<readonly string[]>;
	/** Number of the next version: 1 + the highest tag gepa/<skill>/v<N>. */
	nextVersion(skill: string): Promise<number>;
	/**
	 * Idempotent by the Gepa-Run trailer; lands by compare-and-swap of the ref; reads the blob back and compares it.
	 * @param fence number of the lease under which the run is conducted; a lower one than the skill has seen lands nothing
	 * @throws LaterError when it is lower
	 */
	promote(plan: PromotionPlan, fence?: number): Promise<PromotionResult>;
	/** Every commit of the skill that carries a Gepa-Run trailer, newest first, over all branches. */
	evolved(skill: string): Promise<EvolvedCommit[]>;
	/** Pushes the ref and the tag to the upstream; false with a message when it was refused. */
	push(ref: string, tag: string): Promise<{ pushed: boolean; message: string }>;
}
