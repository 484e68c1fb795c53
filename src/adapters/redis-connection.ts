/**
 * Opens a connection to Redis within a deadline. Knows no queue. A client that waits for a server that is away would wait for
 * ever, so the first answer has a time limit; once it has answered, the connection comes back by itself after an outage.
 */
import { Redis } from "ioredis";
import { LaterError, UnavailableError, UsageError } from "../errors.ts";

export interface RedisConnection {
	client: Redis;
	close(): Promise<void>;
}

export interface RedisConnectionOptions {
	/** redis://[user:password@]host[:port][/db], or rediss:// with TLS. */
	url: string;
	/** How long the first answer may take, in milliseconds. */
	deadlineMs?: number;
	/** What a person can do when it does not answer, beside starting it. */
	otherwise?: string;
}

/**
 * @throws LaterError when Redis does not answer in time, UnavailableError when it refuses us, UsageError when the URL is none
 */
export async function openRedis({
	url,
	deadlineMs = 2_000,
	otherwise,
}: RedisConnectionOptions): Promise<RedisConnection> {
	const address = addressOf(url);
	const client = new Redis(url, {
		lazyConnect: true,
		// The workers of BullMQ need this: a command waits for the connection to come back.
		maxRetriesPerRequest: null,
		retryStrategy: (times) => Math.min(100 * times, 2_000),
	});
	try {
		await answers(client, address, deadlineMs, otherwise);
	} catch (error) {
		client.disconnect();
		throw error;
	}
	// Outages are seen by whoever waits for an answer; an unheard error event would end the process.
	client.on("error", () => undefined);
	return {
		client,
		async close() {
			client.disconnect();
		},
	};
}

/** Host and port for messages; the password stays out of them. */
function addressOf(url: string): string {
	try {
		const { protocol, hostname, port } = new URL(url);
		if (protocol === "redis:" || protocol === "rediss:") return `${hostname}:${port || 6379}`;
	} catch {
		// Told below.
	}
	throw new UsageError({
		message: "the queue's address is not a Redis URL",
		hint: "Write it like redis://127.0.0.1:6379",
	});
}

function answers(client: Redis, address: string, deadlineMs: number, otherwise?: string): Promise<void> {
	return new Promise((resolve, reject) => {
		let lastError = "no answer";
		const timer = setTimeout(() => fail(away(address, deadlineMs, lastError, otherwise)), deadlineMs);
		const onError = (error: Error): void => {
			lastError = error.message || lastError;
			if (/NOAUTH|WRONGPASS|NOPERM/.test(error.message)) fail(refused(address, error));
		};
		const done = (): void => {
			clearTimeout(timer);
			client.off("error", onError);
		};
		const fail = (error: Error): void => {
			// The client tells of its end through the same event: it must be heard until it is gone.
			done();
			client.on("error", () => undefined);
			reject(error);
		};
		client.on("error", onError);
		client.connect().catch(() => undefined);
		client.ping().then(() => {
			done();
			resolve();
		}, onError);
	});
}

function away(address: string, deadlineMs: number, lastError: string, otherwise = ""): LaterError {
	return new LaterError({
		message: `Redis at ${address} did not answer within ${deadlineMs / 1000} s (${lastError})`,
		hint: `Start it${otherwise === "" ? "" : `, or ${otherwise}`}.`,
	});
}

function refused(address: string, cause: Error): UnavailableError {
	return new UnavailableError({
		message: `Redis at ${address} refused us (${cause.message.split(" ")[0]})`,
		hint: "Check the user name and password in GEPA_QUEUE_URL.",
		cause,
	});
}
