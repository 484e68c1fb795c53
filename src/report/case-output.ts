/** What a text said on one case, and what each check found in it: handed to the page from the store, never part of the view. */
export interface CaseOutput {
	/** The answer, possibly cut. */
	text: string;
	/** Characters that were left out. */
	cut: number;
	/** By check of the case: what was found when it is not met; null where there is nothing to say. */
	evidence: readonly (string | null)[];
}

/** Outputs by key of the rollout. */
export type CaseOutputs = ReadonlyMap<string, CaseOutput>;
