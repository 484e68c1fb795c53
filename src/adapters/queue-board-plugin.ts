/** The web part of bull-board, as a plugin of the site's server. */
import { FastifyAdapter } from "@bull-board/fastify";

export function createBoardPlugin(path: string): FastifyAdapter {
	return new FastifyAdapter().setBasePath(path);
}
