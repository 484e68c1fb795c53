/** Judges what a Redis is like as the ground of a queue. Knows facts and what the queue needs; asks nobody. */
import type { RedisFacts } from "../adapters/redis-facts.ts";

export interface Finding {
	level: "pass" | "warn" | "fail";
	/** What was looked at. */
	check: string;
	message: string;
	/** What to do; empty where nothing has to be done. */
	fix: string;
}

const MOST_SKEW_MS = 2_000;
const FULL_SHARE = 0.9;

/** One finding for each thing that matters, good ones included. */
export function redisProblems(facts: RedisFacts): Finding[] {
	return [version(facts), role(facts), policy(facts), memory(facts), durability(facts), clock(facts), latency(facts)];
}

const found = (check: string, level: Finding["level"], message: string, fix = ""): Finding => ({
	level,
	check,
	message,
	fix,
});

function version({ version: text }: RedisFacts): Finding {
	const [major = 0, minor = 0] = text.split(".").map(Number);
	const good = major > 6 || (major === 6 && minor >= 2);
	return found("version", good ? "pass" : "fail", `Redis ${text}`, good ? "" : "Use Redis 6.2 or newer; 7 is tested.");
}

function role({ role: text }: RedisFacts): Finding {
	if (text === "master") return found("role", "pass", "this Redis takes writes");
	return found(
		"role",
		"fail",
		`this Redis is a replica (${text}) and takes no writes`,
		"Name the address of the master.",
	);
}

function policy({ maxmemoryPolicy }: RedisFacts): Finding {
	if (maxmemoryPolicy === null) {
		return found(
			"maxmemory-policy",
			"warn",
			"Redis does not tell its maxmemory-policy",
			"Make sure that it is noeviction.",
		);
	}
	if (maxmemoryPolicy === "noeviction") return found("maxmemory-policy", "pass", "maxmemory-policy is noeviction");
	const message = `maxmemory-policy is ${maxmemoryPolicy}: a full Redis would throw work away`;
	const fix = "redis-cli config set maxmemory-policy noeviction, and in redis.conf.";
	return found("maxmemory-policy", "fail", message, fix);
}

function memory({ maxmemory, usedMemory }: RedisFacts): Finding {
	const used = `${(usedMemory / 1e6).toFixed(1)} MB used`;
	if (maxmemory === null || maxmemory === 0) return found("memory", "pass", `${used}, no limit`);
	const message = `${used} of ${(maxmemory / 1e6).toFixed(1)} MB`;
	if (usedMemory < FULL_SHARE * maxmemory) return found("memory", "pass", message);
	return found("memory", "warn", `${message}: nearly full`, "Raise maxmemory, or gepa runs prune.");
}

function durability({ appendOnly, appendFsync }: RedisFacts): Finding {
	if (appendOnly === null) {
		return found(
			"append-only file",
			"warn",
			"Redis does not tell whether it keeps an AOF",
			"Make sure that appendonly is yes.",
		);
	}
	if (!appendOnly) {
		const message =
			"appendonly is no: a restart of Redis forgets queued runs, schedules and answers that nobody has fetched";
		return found("append-only file", "warn", message, "redis-cli config set appendonly yes, and in redis.conf.");
	}
	const fsync = appendFsync === null ? "" : `, appendfsync ${appendFsync}`;
	if (appendFsync === "no") {
		const fix = "redis-cli config set appendfsync everysec";
		return found("append-only file", "warn", `appendonly is yes${fsync}: a power cut may lose minutes`, fix);
	}
	return found("append-only file", "pass", `appendonly is yes${fsync}`);
}

function clock({ clockAheadMs }: RedisFacts): Finding {
	const seconds = (Math.abs(clockAheadMs) / 1000).toFixed(1);
	if (Math.abs(clockAheadMs) <= MOST_SKEW_MS) return found("clock", "pass", `clocks differ by ${seconds} s`);
	const message = `the clock of Redis is ${seconds} s ${clockAheadMs > 0 ? "ahead of" : "behind"} this host's`;
	return found("clock", "warn", message, "Keep both by NTP: nights would start at another time than listed.");
}

function latency({ latencyMs }: RedisFacts): Finding {
	const message = `a round trip takes ${latencyMs} ms`;
	if (latencyMs <= 50) return found("latency", "pass", message);
	return found("latency", "warn", message, "Put workers near to Redis: each call needs several round trips.");
}
