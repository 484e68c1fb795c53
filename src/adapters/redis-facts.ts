/**
 * What a Redis is like that a queue is to rest on: version, role, how it keeps data, how its clock stands. Asks; changes nothing.
 * Knows the answers of Redis; must not judge them.
 */
import type { Redis } from "ioredis";

export interface RedisFacts {
	version: string;
	/** `master` or `slave`. */
	role: string;
	/** Null when the server does not tell. */
	maxmemoryPolicy: string | null;
	/** Bytes; 0: no limit. Null when the server does not tell. */
	maxmemory: number | null;
	usedMemory: number;
	appendOnly: boolean | null;
	appendFsync: string | null;
	/** How far the clock of Redis is ahead of ours, in milliseconds. */
	clockAheadMs: number;
	/** Of one round trip. */
	latencyMs: number;
}

export async function readRedisFacts(client: Redis): Promise<RedisFacts> {
	const info = await client.info();
	const said = (name: string): string => new RegExp(`^${name}:(.*)$`, "m").exec(info)?.[1]?.trim() ?? "";
	const setting = async (name: string): Promise<string | null> => {
		try {
			const answer: unknown = await client.config("GET", name);
			if (Array.isArray(answer)) return answer.length > 1 ? String(answer[1]) : null;
			if (typeof answer === "object" && answer !== null) return String(Object.values(answer)[0] ?? "");
			return null;
		} catch {
			return null;
		}
	};
	const begun = Date.now();
	const [seconds = "0", micros = "0"] = (await client.time()).map(String);
	const ended = Date.now();
	const maxmemory = said("maxmemory");
	const append = await setting("appendonly");
	return {
		version: said("redis_version"),
		role: said("role"),
		maxmemoryPolicy: said("maxmemory_policy") || (await setting("maxmemory-policy")),
		maxmemory: maxmemory === "" ? null : Number(maxmemory),
		usedMemory: Number(said("used_memory")) || 0,
		appendOnly: append === null ? (said("aof_enabled") === "" ? null : said("aof_enabled") === "1") : append === "yes",
		appendFsync: await setting("appendfsync"),
		clockAheadMs: Number(seconds) * 1000 + Number(micros) / 1000 - (begun + ended) / 2,
		latencyMs: ended - begun,
	};
}
