/**
 * Conducts runs that come from the queue: takes the lease, goes on from wherever an earlier conductor stopped, and lets go at once
 * when it is fenced, cancelled or asked to stop. Knows the books of Redis and this host's files; must not know how a message
 * came here.
 */
import { join } from "node:path";
import type { Next, RunQueue } from "../adapters/bullmq-runs.ts";
import { reached } from "../adapters/fault-point.ts";
import { FencedError, fenced } from "../adapters/fenced.ts";
import { createLeasedRunLog } from "../adapters/leased-run-log.ts";
import { createQueueDialogues } from "../adapters/queue-dialogues.ts";
import type { RedisConnection } from "../adapters/redis-connection.ts";
import { insist } from "../adapters/redis-errors.ts";
import type { RunDesk, RunLease } from "../adapters/run-desk.ts";
import { writeWhole } from "../adapters/run-folder.ts";
import { acquireRunLock } from "../adapters/run-lock.ts";
import { readSharedLog } from "../adapters/shared-log.ts";
import type { RunEnding, RunRequest } from "../domain/run-request.ts";
import { replay } from "../domain/run-state.ts";
import { GepaError, InterruptedError } from "../errors.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import type { RunView } from "../report/view.ts";
import { composeQueuePool } from "./compose.ts";
import { conductOpened } from "./conducting.ts";
import { harvest } from "./harvest.ts";
import { keepLease, type LeaseKeeper } from "./lease-keeper.ts";
import { assertPromotable, openFiles, readRequest, repositoryFor, setAside, startOf } from "./queued-parts.ts";
import type { EndedRun } from "./run-keeper.ts";
import type { Teller } from "./teller.ts";
import type { Times } from "./times.ts";
import { viewOfRun, writeReport } from "./write-report.ts";

/** A lease that somebody holds is looked at again after this long at the most, in milliseconds. */
const LOOK_AGAIN_MS = 3_000;
/** A skill that another process of this host works on is tried again after this long, in milliseconds. */
const LOCKED_MS = 10_000;
/** Redis may be away for so long before a run is given up, in milliseconds. */
const PATIENCE_MS = 15 * 60_000;
/** When a run is cancelled, tasks that a worker has may still end, in milliseconds. */
const CANCEL_GRACE_MS = 20_000;

export interface ConductorOptions {
	desk: RunDesk;
	queue: RunQueue;
	redis: RedisConnection;
	/** Names this process among all that conduct. */
	holder: string;
	version: string;
	skillsRepo: string | null;
	resultsFolder: string;
	cwd: string;
	times: Times;
	/** Tasks that all workers do at once, as far as it is known. */
	slots(): number;
	tell: Teller;
	/** Told of a run that has ended here. */
	onEnded(run: EndedRun): void;
}

/** Takes runs one message at a time; the same run never twice at once. */
export function createConductor(
	options: ConductorOptions,
): (run: string, skill: string, stop: AbortSignal) => Promise<Next> {
	const underWay = new Map<string, Promise<Next>>();
	return (run, skill, stop) => {
		const now = underWay.get(run) ?? take(options, run, skill, stop).finally(() => underWay.delete(run));
		underWay.set(run, now);
		return now;
	};
}

async function take(options: ConductorOptions, run: string, skill: string, stop: AbortSignal): Promise<Next> {
	const { desk, tell, holder } = options;
	const answer = await insist(() => desk.lease(run, skill, holder, options.times.leaseMs));
	if (answer.status === "held") return { againMs: Math.min(answer.forMs + 100, LOOK_AGAIN_MS) };
	if (answer.status === "taken") return { againMs: LOOK_AGAIN_MS };
	if (answer.status !== "leased") return "done";
	const { lease } = answer;
	tell.info("run-taken", `run ${run} of ${skill} is conducted here`, { run, skill, fence: lease.fence });
	reached("run-claimed");
	return conductLeased(options, lease, stop);
}

async function conductLeased(options: ConductorOptions, lease: RunLease, stop: AbortSignal): Promise<Next> {
	const { desk, tell, version } = options;
	let keeper: LeaseKeeper | null = null;
	let request: RunRequest | null = null;
	const end = (standing: "ended" | "halted", ending: RunEnding) => finish(options, lease, request, standing, ending);
	try {
		request = readRequest(await insist(() => desk.request(lease.run)), version, lease);
		keeper = keepLease({ desk, queue: options.queue, lease, request, ms: options.times.leaseMs, stop });
		const view = await conductRequest(options, request, lease, keeper);
		const { status, reason } = view.verdict;
		const repository = view.repositoryPath === null ? {} : { repository: view.repositoryPath };
		await end("ended", { exitCode: 0, status, message: reason, ...repository, seconds: view.spend.seconds });
		tell.info("run-ended", `run ${lease.run} ended: ${view.verdict.status}`, { run: lease.run });
		return "done";
	} catch (error) {
		const why = keeper?.stopped() ?? null;
		if (error instanceof FencedError || why === "fenced") {
			tell.warn("run-fenced", fenced(lease.run).message, { run: lease.run, fence: lease.fence });
			return "done";
		}
		if (error instanceof LockedError) {
			tell.info("run-waits", error.message, { run: lease.run });
			await insist(() => desk.release(lease));
			return { againMs: LOCKED_MS };
		}
		if (why === "stopped" && error instanceof InterruptedError) {
			await insist(() => desk.release(lease));
			tell.info("run-handed-back", `run ${lease.run} goes back to the queue`, { run: lease.run });
			return "back";
		}
		const ending = endingOf(error, lease.run);
		tell.error("run-halted", `run ${lease.run} halted: ${ending.message}`, {
			run: lease.run,
			exitCode: ending.exitCode,
		});
		await end("halted", ending);
		return "done";
	} finally {
		keeper?.end();
	}
}

/** The skill's folder is used by another run of this host. */
class LockedError extends Error {}

async function conductRequest(
	options: ConductorOptions,
	request: RunRequest,
	lease: RunLease,
	keeper: LeaseKeeper,
): Promise<RunView> {
	const { desk, redis, tell, cwd } = options;
	const { run, skill } = lease;
	const folder = join(options.resultsFolder, skill, run);
	const repository = await repositoryFor(request, options.skillsRepo, cwd);
	if (repository !== null) await assertPromotable(repository, request);
	const lock = lockFolder(folder, run);
	const releasers: (() => Promise<void> | void)[] = [() => lock.release()];
	try {
		if (lock.wasTaken) setAside(folder);
		const shared = readSharedLog(await insist(() => desk.events(run)));
		const files = await openFiles(folder, shared, (why) => tell.warn("set-aside", why, { run }));
		releasers.push(() => files.log.close());
		releasers.push(() => files.store.close());
		writeWhole(join(folder, "request.json"), `${JSON.stringify(request)}\n`);
		const store = withFaults(files.store);
		const dialogues = createQueueDialogues(redis.client, run);
		releasers.push(() => dialogues.close());
		const found = await insist(() => harvest(files.log.events, store, dialogues));
		if (found > 0) tell.info("harvested", `${found} paid answers of run ${run} came from the queue`, { run });
		const log = createLeasedRunLog({
			...{ log: files.log, desk, lease, now: () => new Date() },
			restore: () => keeper.restore(),
		});
		if (log.events.length === 0) await log.append(0, request.opening);
		reached("run-opened");
		const start = startOf(request);
		let told = "";
		const body = await composeQueuePool({
			queue: redis,
			run,
			concurrency: request.concurrency,
			store,
			patienceMs: PATIENCE_MS,
			graceMs: () => (keeper.stopped() === "cancelled" ? CANCEL_GRACE_MS : 0),
			room: () => Math.max(request.concurrency, Math.ceil(options.slots() * 1.5)),
			onRefused: (trouble) => {
				keeper.report({ trouble });
				if (trouble === told) return;
				tell.warn("tasks-refused", `tasks of run ${run} wait for another worker: ${trouble}`, { run });
				told = trouble;
			},
		});
		releasers.push(body.close);
		const history = files.log;
		const kept = { log, history, store, folder };
		const parts = { ...kept, start, body, repository, cwd, soft: keeper.signal, fence: lease.fence };
		try {
			const { view } = await conductOpened({
				...parts,
				onProgress: (progress, _state, paid) => keeper.report({ ...progress, paid, trouble: body.refusal() }),
				onNoWorker: () => tell.warn("no-worker", `no worker does tasks, so run ${run} waits`, { run }),
				beforePromotion: () => keeper.confirm(),
			});
			reached("report-written");
			if (request.push && view.promotion !== null && repository !== null) {
				const { pushed, message } = await repository.push(view.promotion.ref, view.promotion.tag);
				tell.info("push", pushed ? `pushed ${view.promotion.ref}` : `not pushed: ${message}`, { run });
			}
			return view;
		} catch (error) {
			if (keeper.stopped() !== "cancelled" || !(error instanceof InterruptedError)) throw error;
			const reason = "somebody cancelled it";
			await log.append(log.events.length, { type: "run-closed", status: "stopped", stoppedBy: "cancelled", reason });
			const source = { state: replay(log.events), skill: start.skill, cases: start.cases, folder, cwd };
			const rest = { seconds: keeper.seconds(), harvested: 0, repositoryPath: repository?.root ?? null, history };
			await writeReport({ ...source, ...rest }, store);
			return viewOfRun({ ...source, ...rest });
		}
	} finally {
		for (const release of releasers.reverse()) await release();
	}
}

/** A process of this host that was cut off in the middle of this very run has to give way; another run has not. */
function lockFolder(folder: string, run: string): ReturnType<typeof acquireRunLock> {
	try {
		return acquireRunLock({ folder: join(folder, ".."), run, evenFromOwn: true });
	} catch (error) {
		if (error instanceof GepaError && error.exitCode === 75) throw new LockedError(error.message, { cause: error });
		throw error;
	}
}

async function finish(
	options: ConductorOptions,
	lease: RunLease,
	request: RunRequest | null,
	standing: "ended" | "halted",
	ending: RunEnding,
): Promise<void> {
	const { desk } = options;
	const answer = await insist(() => desk.end(lease, standing, ending));
	if (answer === "missing" && request !== null) {
		await insist(() => desk.restore(lease, request, options.times.leaseMs));
		await insist(() => desk.end(lease, standing, ending));
	}
	if (answer !== "fenced" && request !== null) options.onEnded({ request, standing, ending });
	reached("run-ended");
}

function endingOf(error: unknown, run: string): RunEnding {
	const again = `Then: gepa runs resume ${run}`;
	if (!(error instanceof GepaError)) return { exitCode: 1, status: null, message: `a bug of gepa: ${String(error)}` };
	const { exitCode, message, hint } = error;
	return { exitCode, status: null, message, hint: hint === undefined ? again : `${hint} ${again}` };
}

function withFaults(store: DialogueStore): DialogueStore {
	return {
		...store,
		async addReply(key, index, reply) {
			await store.addReply(key, index, reply);
			reached("reply-kept");
		},
	};
}
