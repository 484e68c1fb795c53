/**
 * Limits of a model endpoint that all workers keep together: requests and tokens a minute, and calls at once. Redis counts, by its
 * own clock. When the endpoint says that it is too much, all of them send less, and then slowly more again. Knows numbers and the
 * name of an endpoint; must not know what a call is about.
 */
import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";

export interface EndpointLimits {
	requestsPerMinute?: number | undefined;
	tokensPerMinute?: number | undefined;
	callsAtOnce?: number | undefined;
}

export interface CallEnd {
	/** Tokens that the call took beyond (or below) its estimate. */
	moreTokens: number;
	/** Whether it was answered, or the endpoint said that it is too much. */
	outcome: "answered" | "too-much" | "failed";
	/** What the endpoint asked us to wait, in milliseconds. */
	retryAfterMs: number;
}

export interface EndpointGate {
	/** Sets the limits for all workers; what is not given stays as it is. */
	limit(limits: EndpointLimits): Promise<void>;
	/** Resolves when a call may be sent. Rejects with the signal's reason when it aborts. */
	enter(tokens: number, signal: AbortSignal): Promise<(end: CallEnd) => Promise<void>>;
	close(): void;
}

/** A call whose worker gave no sign of life for so long does not count any more, in milliseconds. */
const SLOT_MS = 20_000;
const RENEW_MS = 5_000;
/** The longest wish of an endpoint that all workers obey, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000;

const HEAD = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function num(name) return tonumber(redis.call('HGET', KEYS[1], name) or '') end
local function put(name, value) redis.call('HSET', KEYS[1], name, string.format('%.3f', value)) end
`;

/** What a bucket holds that fills by so much a minute; it never holds more than what comes in a second (or one call needs). */
const BUCKET = `
local function filled(name, perMinute, needs)
	local most = math.max(perMinute / 60, needs)
	local had = num(name) or most
	return math.min(most, had + (now - (num(name .. 'At') or now)) * perMinute / 60000)
end
local function take(name, left) put(name, left); put(name .. 'At', now) end
`;

const ENTER = `${HEAD}${BUCKET}
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local pause = (num('pausedUntil') or 0) - now
if pause > 0 then return {0, math.ceil(pause)} end
local under = redis.call('ZCARD', KEYS[2])
local atOnce, window = num('callsAtOnce'), num('window')
if (atOnce and under >= atOnce) or (window and under >= math.max(1, math.floor(window))) then return {0, 60} end
local perMinute, tokens = num('requestsPerMinute'), num('tokensPerMinute')
local requests, room = nil, nil
if perMinute then
	requests = filled('requests', perMinute, 1)
	if requests < 1 then return {0, math.ceil((1 - requests) * 60000 / perMinute)} end
end
if tokens then
	local needs = math.min(tonumber(ARGV[2]), tokens)
	room = filled('tokens', tokens, needs)
	if room < needs then return {0, math.ceil((needs - room) * 60000 / tokens)} end
	room = room - tonumber(ARGV[2])
end
if requests then take('requests', requests - 1) end
if room then take('tokens', room) end
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[1])
return {1, 0}
`;

const LEAVE = `${HEAD}
local under = redis.call('ZCARD', KEYS[2])
redis.call('ZREM', KEYS[2], ARGV[1])
local had = num('tokens')
if had then put('tokens', had - ARGV[2]) end
local window = num('window')
if ARGV[3] == 'too-much' then
	if now - (num('cutAt') or 0) > 1000 then
		put('window', math.max(1, math.floor(math.min(under, window or under) / 2)))
		put('cutAt', now)
	end
	put('pausedUntil', math.max(num('pausedUntil') or 0, now + ARGV[4]))
elseif ARGV[3] == 'answered' and window then
	window = window + 1 / window
	if window > 1024 then redis.call('HDEL', KEYS[1], 'window') else put('window', window) end
end
return {1}
`;

const RENEW = `${HEAD}
for n = 2, #ARGV do redis.call('ZADD', KEYS[2], 'XX', now + ARGV[1], ARGV[n]) end
return {1}
`;

export function createEndpointGate(client: Redis, endpoint: string, prefix = "gepa"): EndpointGate {
	const keys = [`${prefix}:endpoint:${endpoint}`, `${prefix}:endpoint:${endpoint}:calls`];
	const open = new Set<string>();
	const script = (text: string, ...args: (string | number)[]) =>
		client.eval(text, keys.length, ...keys, ...args.map(String)) as Promise<number[]>;
	const timer = setInterval(() => {
		if (open.size === 0) return;
		void script(RENEW, SLOT_MS, ...open).catch(() => undefined);
	}, RENEW_MS);
	timer.unref();
	return {
		async limit(limits) {
			const given = Object.entries(limits).filter(([, value]) => value !== undefined) as [string, number][];
			if (given.length > 0) await client.hset(keys[0] ?? "", Object.fromEntries(given));
		},
		async enter(tokens, signal) {
			const id = randomUUID();
			for (;;) {
				signal.throwIfAborted();
				const [isIn = 0, waitMs = 0] = await script(ENTER, id, Math.max(0, Math.ceil(tokens)), SLOT_MS);
				if (isIn === 1) break;
				// Spread, so that those who wait for one place do not all come back at once.
				await sleep(Math.min(waitMs, 1_000) * (0.75 + Math.random() / 2), signal);
			}
			open.add(id);
			return async ({ moreTokens, outcome, retryAfterMs }) => {
				open.delete(id);
				const pause = Math.min(Math.max(0, retryAfterMs), LONGEST_PAUSE_MS);
				await script(LEAVE, id, Math.round(moreTokens), outcome, Math.round(pause));
			};
		},
		close: () => clearInterval(timer),
	};
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const onEnd = (): void => {
			clearTimeout(timer);
			reject(signal.reason);
		};
		const timer = setTimeout(() => {
			signal.removeEventListener("abort", onEnd);
			resolve();
		}, ms);
		signal.addEventListener("abort", onEnd, { once: true });
	});
}
