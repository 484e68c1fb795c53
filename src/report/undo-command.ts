/** The command that takes a promotion back, so that it works wherever it is read: with the repository's path where it is known. */
import { shellWord } from "./resume-command.ts";
import type { RunView } from "./view.ts";

/** Null when nothing was committed. */
export function undoCommand(view: Pick<RunView, "promotion" | "revert" | "repositoryPath">): string | null {
	const { promotion, revert, repositoryPath } = view;
	if (promotion === null || revert === null) return null;
	if (repositoryPath === null) return `${revert} (in the skills repository)`;
	return `git -C ${shellWord(repositoryPath)} revert ${promotion.commit}`;
}
