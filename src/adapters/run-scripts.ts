/**
 * The steps on a run's keys that must happen at once or not at all, as scripts that Redis runs. Time is that of Redis, so hosts
 * whose clocks differ agree on it. Knows keys; must not know a connection.
 *
 * Keys of every script: 1 the run, 2 its log, 3 the skill, 4 all runs. A lease has a fence: a number that only grows, also when
 * Redis was emptied in between, because it is never below the time in microseconds. Whoever comes with a smaller one is late.
 */

const NOW = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/** 'missing' after Redis was emptied, 'fenced' for a conductor that another has followed; falls through when the lease holds. */
const CHECK_FENCE = `
local fence = tonumber(redis.call('HGET', KEYS[3], 'fence') or '0')
if fence > tonumber(ARGV[1]) then return {'fenced'} end
if fence < tonumber(ARGV[1]) or redis.call('EXISTS', KEYS[1]) == 0 then return {'missing'} end
if redis.call('HGET', KEYS[3], 'run') ~= ARGV[2] then return {'fenced'} end
`;

/** Puts a run into the queue unless another one has the skill. ARGV: run, skill, request, by, prefix of run keys, at. */
export const ENQUEUE = `${NOW}
local owner = redis.call('HGET', KEYS[3], 'run')
if owner and owner ~= ARGV[1] then
	local standing = redis.call('HGET', ARGV[5] .. owner, 'standing')
	if standing == 'queued' or standing == 'conducting' then return {'taken', owner} end
end
local standing = redis.call('HGET', KEYS[1], 'standing')
if standing == 'ended' or standing == 'conducting' then return {standing} end
redis.call('HSET', KEYS[3], 'run', ARGV[1])
redis.call('HSET', KEYS[1], 'run', ARGV[1], 'skill', ARGV[2], 'request', ARGV[3], 'standing', 'queued', 'by', ARGV[4], 'at', ARGV[6])
redis.call('HDEL', KEYS[1], 'cancel', 'ending', 'holder', 'leaseUntil')
redis.call('PERSIST', KEYS[1])
redis.call('PERSIST', KEYS[2])
redis.call('ZADD', KEYS[4], now, ARGV[1])
return {'queued'}
`;

/** Takes the lease of a run. ARGV: run, holder, milliseconds, prefix of run keys. */
export const LEASE = `${NOW}
local standing = redis.call('HGET', KEYS[1], 'standing')
if not standing then return {'gone'} end
if standing == 'ended' or standing == 'halted' then return {standing} end
local owner = redis.call('HGET', KEYS[3], 'run')
if owner and owner ~= ARGV[1] then
	local other = redis.call('HGET', ARGV[4] .. owner, 'standing')
	if other == 'queued' or other == 'conducting' then return {'taken', owner} end
end
local holder = redis.call('HGET', KEYS[1], 'holder')
local ends = tonumber(redis.call('HGET', KEYS[1], 'leaseUntil') or '0')
if holder and holder ~= ARGV[2] and ends > now then return {'held', tostring(ends - now)} end
local fence = math.max(t[1] * 1000000 + t[2], tonumber(redis.call('HGET', KEYS[3], 'fence') or '0') + 1)
redis.call('HSET', KEYS[3], 'run', ARGV[1], 'fence', string.format('%.0f', fence))
redis.call('HSET', KEYS[1], 'standing', 'conducting', 'holder', ARGV[2], 'leaseUntil', string.format('%.0f', now + ARGV[3]))
return {'leased', string.format('%.0f', fence)}
`;

/** Prolongs a lease. ARGV: fence, run, milliseconds, progress. The answer says whether somebody wants the run to be cancelled. */
export const RENEW = `${NOW}${CHECK_FENCE}
redis.call('HSET', KEYS[1], 'leaseUntil', string.format('%.0f', now + ARGV[3]), 'progress', ARGV[4])
return {'held', redis.call('HGET', KEYS[1], 'cancel') or ''}
`;

/** Adds entry n of the log. ARGV: fence, run, n, entry. 'behind' when events before it are not there. */
export const APPEND = `${CHECK_FENCE}
local length = redis.call('LLEN', KEYS[2])
local n = tonumber(ARGV[3])
if length < n then return {'behind', tostring(length)} end
if length > n then
	if redis.call('LINDEX', KEYS[2], n) == ARGV[4] then return {'appended'} end
	return {'conflict'}
end
redis.call('RPUSH', KEYS[2], ARGV[4])
return {'appended'}
`;

/** Ends a conducting: the skill is free again. ARGV: fence, run, standing, ending. */
export const END = `${CHECK_FENCE}
redis.call('HSET', KEYS[1], 'standing', ARGV[3], 'ending', ARGV[4])
redis.call('HDEL', KEYS[1], 'holder', 'leaseUntil')
redis.call('HDEL', KEYS[3], 'run')
return {'ended'}
`;

/** Gives a lease back so that another conductor may go on at once. ARGV: fence, run. */
export const RELEASE = `${CHECK_FENCE}
redis.call('HSET', KEYS[1], 'standing', 'queued')
redis.call('HDEL', KEYS[1], 'holder', 'leaseUntil')
return {'released'}
`;

/**
 * Brings a run back into a Redis that was emptied, with the fence of whoever conducts it. ARGV: fence, run, skill, request, by,
 * holder, milliseconds, at. A run that another conductor has taken since stays his.
 */
export const RESTORE = `${NOW}
local fence = tonumber(redis.call('HGET', KEYS[3], 'fence') or '0')
if fence > tonumber(ARGV[1]) then return {'fenced'} end
local owner = redis.call('HGET', KEYS[3], 'run')
if owner and owner ~= ARGV[2] then return {'fenced'} end
redis.call('HSET', KEYS[3], 'run', ARGV[2], 'fence', ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then
	redis.call('HSET', KEYS[1], 'run', ARGV[2], 'skill', ARGV[3], 'request', ARGV[4], 'by', ARGV[5], 'at', ARGV[8])
	redis.call('ZADD', KEYS[4], now, ARGV[2])
end
redis.call('HSET', KEYS[1], 'standing', 'conducting', 'holder', ARGV[6], 'leaseUntil', string.format('%.0f', now + ARGV[7]))
return {'restored'}
`;

/** Writes down the end of a run that the books do not know. ARGV: run, skill, request, by, at, standing, ending. */
export const REMEMBER = `${NOW}
if redis.call('EXISTS', KEYS[1]) == 1 then return {'known'} end
redis.call('HSET', KEYS[1], 'run', ARGV[1], 'skill', ARGV[2], 'request', ARGV[3], 'by', ARGV[4], 'at', ARGV[5], 'standing', ARGV[6], 'ending', ARGV[7])
redis.call('ZADD', KEYS[4], now, ARGV[1])
return {'remembered'}
`;

/** Asks for the end of a run. ARGV: run, ending for one that nobody conducts. */
export const CANCEL = `
local standing = redis.call('HGET', KEYS[1], 'standing')
if not standing then return {'gone'} end
if standing == 'ended' then return {'ended'} end
if standing == 'conducting' then
	redis.call('HSET', KEYS[1], 'cancel', '1')
	return {'asked'}
end
redis.call('HSET', KEYS[1], 'standing', 'halted', 'ending', ARGV[2])
if redis.call('HGET', KEYS[3], 'run') == ARGV[1] then redis.call('HDEL', KEYS[3], 'run') end
return {'cancelled'}
`;
