/**
 * What the body works with: everything that touches the world, behind ports. The brain never sees it.
 */
import type { CheckTools } from "../domain/check.ts";
import type { Reply } from "../domain/dialogue.ts";
import type { RunEvent } from "../domain/events.ts";
import type { RunState } from "../domain/run-state.ts";
import type { Dialogue } from "../domain/trial.ts";
import type { TaskPool } from "../ports/task-pool.ts";
import type { Ledger } from "./ledger.ts";
import type { Prepaid } from "./reserve.ts";

export interface Progress {
	phase: string;
	generation: number;
	done: number;
	total: number;
}

export interface Environment {
	pool: TaskPool;
	tools: CheckTools;
	ledger: Ledger;
	signal: AbortSignal;
	/** The finished dialogue of a key that this run has paid for. */
	recall(key: string): Promise<Dialogue | undefined>;
	/** Replies of a dialogue that was begun and not finished. */
	begun(key: string): Promise<readonly Reply[]>;
	/** What an earlier conducting paid for the step under way, counted already. */
	prepaid?: Prepaid;
	/** Minutes that this conducting has taken. */
	minutes(): number;
	/** Plans and lands the promotion of a proven variant, or says why not. */
	promote(variant: string, state: RunState): Promise<RunEvent>;
	observe?(progress: Progress, state: RunState): void;
}
