/** Makes the proposals that add an example: from an answer that is paid for already, or from what the checks want. Asks nobody. */
import type { Proposal } from "../domain/events.ts";
import type { RunState } from "../domain/run-state.ts";
import { caseOf, type RunContext } from "./context.ts";
import type { Environment } from "./environment.ts";
import { composedAnswer, exampleEdit, passesAll } from "./search/examples.ts";
import type { ExampleRequest } from "./steps.ts";

/** One proposal a request, in order; none where no answer is known that passes every check, or it does not fit into a line. */
export async function exampleProposals(
	requests: readonly ExampleRequest[],
	state: RunState,
	context: RunContext,
	env: Environment,
): Promise<Proposal[]> {
	const made = await Promise.all(
		requests.map(async (request): Promise<Proposal[]> => {
			const entry = caseOf(context, request.caseId);
			const dialogue = request.rollout === null ? undefined : await env.recall(request.rollout);
			const composed = composedAnswer(entry);
			const passing = composed !== null && passesAll(entry, composed, env.tools) ? composed : null;
			const answer = dialogue?.replies.at(-1)?.text ?? passing;
			const edit = answer === null ? null : exampleEdit(state, context, request, answer);
			if (edit === null) return [];
			const free = { reflection: request.rollout ?? "", calls: 0, tokens: 0, usd: 0 };
			const { id, group } = request;
			return [{ id, group, status: "usable", diagnosis: "", cause: null, edits: [edit], ...free }];
		}),
	);
	return made.flat();
}
