/**
 * Who works on a queue now: each worker writes a line of itself every few seconds, and a line that was not renewed does not
 * count. Knows what a worker says of itself; must not know what it does. Time is that of Redis.
 */
import type { Redis } from "ioredis";
import { type WorkerLine, workerLineSchema } from "../domain/worker-line.ts";

export const BEAT_MS = 4_000;
const SILENT_MS = 15_000;

export interface WorkerRegistry {
	beat(line: Omit<WorkerLine, "clock" | "seenAt">): Promise<void>;
	leave(id: string): Promise<void>;
	/** Workers that were heard of lately. */
	list(): Promise<WorkerLine[]>;
}

export function createWorkerRegistry(client: Redis, prefix = "gepa"): WorkerRegistry {
	const key = `${prefix}:workers`;
	const now = async (): Promise<number> => {
		const [seconds = "0", micros = "0"] = (await client.time()).map(String);
		return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
	};
	return {
		async beat(line) {
			const clock = Date.now();
			await client.hset(key, line.id, JSON.stringify({ ...line, clock, seenAt: await now() }));
		},
		async leave(id) {
			await client.hdel(key, id);
		},
		async list() {
			const [lines, at] = [await client.hgetall(key), await now()];
			const live: WorkerLine[] = [];
			for (const [id, text] of Object.entries(lines)) {
				const line = readLine(text);
				if (line !== null && at - line.seenAt <= SILENT_MS) live.push(line);
				else await client.hdel(key, id);
			}
			return live.sort((a, b) => (a.id < b.id ? -1 : 1));
		},
	};
}

function readLine(text: string): WorkerLine | null {
	try {
		return workerLineSchema.safeParse(JSON.parse(text)).data ?? null;
	} catch {
		return null;
	}
}
