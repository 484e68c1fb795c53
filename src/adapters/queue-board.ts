/** What bull-board shows of our queues. Knows bull-board's own part; the queues and the web server are handed in. */
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";

type Board = Parameters<typeof createBullBoard>[0];

/** Read-only in bull-board too, although the server lets nothing else through. */
export function showQueues(
	queues: readonly ConstructorParameters<typeof BullMQAdapter>[0][],
	server: Board["serverAdapter"],
): void {
	createBullBoard({
		queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
		serverAdapter: server,
		options: { uiConfig: { boardTitle: "gepa queue", hideRedisDetails: true } },
	});
}
