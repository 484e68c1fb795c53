/**
 * Figures of other optimizers on the stand, as its README records them: mean test score at the budget told to the optimizer,
 * and what it really paid. They were measured there, not here; only ours are measured by this benchmark.
 */
export interface Rival {
	name: string;
	/** Kind of families that the figures are of. */
	kind: string;
	/** Whether the README shows it. */
	shown: boolean;
	/** By told budget: mean test score, and all paid calls where they are known. */
	scores: Readonly<Record<number, { score: number; paid?: number }>>;
	busySlots?: number;
	msPerCall?: number;
}

export const RIVALS: readonly Rival[] = [
	{
		name: "gepa-ai/gepa",
		kind: "plain",
		shown: true,
		scores: { 300: { score: 0.565, paid: 384 }, 600: { score: 0.698, paid: 744 }, 1200: { score: 0.879, paid: 1468 } },
		busySlots: 4.5,
		msPerCall: 1.3,
	},
	{
		name: "AxGEPA, own client",
		kind: "plain",
		shown: false,
		scores: { 300: { score: 0.551 }, 600: { score: 0.705 }, 1200: { score: 0.866 } },
		busySlots: 0.9,
		msPerCall: 7.9,
	},
	{
		name: "AxGEPA, 16 at a time",
		kind: "plain",
		shown: true,
		scores: { 300: { score: 0.508 }, 600: { score: 0.684 }, 1200: { score: 0.836 } },
		busySlots: 3.4,
		msPerCall: 2.7,
	},
	{
		name: "dsts",
		kind: "plain",
		shown: false,
		scores: { 300: { score: 0.513 }, 600: { score: 0.576 }, 1200: { score: 0.651 } },
		busySlots: 3.5,
		msPerCall: 4.4,
	},
	{
		name: "SkillOpt, gate on the mean",
		kind: "plain",
		shown: true,
		scores: { 300: { score: 0.918, paid: 416 }, 600: { score: 0.928 }, 1200: { score: 0.925 } },
	},
	{
		name: "SkillOpt as shipped",
		kind: "plain",
		shown: false,
		scores: { 300: { score: 0.487 }, 600: { score: 0.712 }, 1200: { score: 0.836 } },
	},
	{
		name: "gepa-ai/gepa",
		kind: "conflict",
		shown: true,
		scores: { 300: { score: 0.47, paid: 393 }, 600: { score: 0.557, paid: 754 }, 1200: { score: 0.659, paid: 1491 } },
	},
	{
		name: "SkillOpt, gate on the mean",
		kind: "conflict",
		shown: true,
		scores: { 300: { score: 0.931, paid: 404 }, 600: { score: 0.934, paid: 800 }, 1200: { score: 0.926, paid: 1509 } },
	},
	{
		name: "gepa-ai/gepa",
		kind: "rubric",
		shown: true,
		scores: { 300: { score: 0.518, paid: 649 }, 600: { score: 0.623, paid: 1243 }, 1200: { score: 0.78, paid: 2482 } },
	},
	{
		name: "SkillOpt, gate on the mean",
		kind: "rubric",
		shown: true,
		scores: { 300: { score: 0.82, paid: 698 }, 600: { score: 0.906, paid: 1365 }, 1200: { score: 0.924, paid: 2518 } },
	},
];
