/** What a text said on one case, and what each check found in it: handed to the page from the store, never part of the view. */
export interface CaseOutput {
	/** The answer, possibly cut. */
	text: string;
	/** Characters that were left out. */
	cut: number;
	/** By check of the case; null where there is nothing to say. */
	evidence: readonly (Evidence | null)[];
}

/** What a check found: in our words where it is not met, or in the judge's, who gives reasons either way. */
export interface Evidence {
	by: "check" | "judge";
	text: string;
}

/** Outputs by key of the rollout. */
export type CaseOutputs = ReadonlyMap<string, CaseOutput>;
