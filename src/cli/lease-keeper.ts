/**
 * Keeps the lease of a run for as long as it is conducted, says how far it is, and stops the conducting when the lease is lost,
 * when somebody cancels the run, or when the process is asked to end. Knows leases and signals; must not know what is done.
 */
import { performance } from "node:perf_hooks";
import type { RunQueue } from "../adapters/bullmq-runs.ts";
import { fenced } from "../adapters/fenced.ts";
import { insist } from "../adapters/redis-errors.ts";
import type { RunDesk, RunLease } from "../adapters/run-desk.ts";
import type { RunRequest } from "../domain/run-request.ts";
import { InterruptedError } from "../errors.ts";

const EVERY_MS = 1_000;

interface KeeperOptions {
	desk: RunDesk;
	queue: RunQueue;
	lease: RunLease;
	request: RunRequest;
	/** How long the lease lasts each time, in milliseconds. */
	ms: number;
	/** The process is asked to end. */
	stop: AbortSignal;
}

export interface LeaseKeeper {
	/** Aborts when the conducting has to stop. */
	readonly signal: AbortSignal;
	/** Why it has aborted; null while it has not. */
	stopped(): "fenced" | "cancelled" | "stopped" | null;
	/** What has changed in what the run does now, for whoever follows it. */
	report(progress: Readonly<Record<string, unknown>>): void;
	/** Resolves once Redis has said that the lease still holds. @throws FencedError when it does not */
	confirm(): Promise<void>;
	/** Brings the run back into an emptied Redis. @throws FencedError when somebody else has it by then */
	restore(): Promise<void>;
	/** Since the lease was taken. */
	seconds(): number;
	end(): void;
}

export function keepLease({ desk, queue, lease, request, ms, stop }: KeeperOptions): LeaseKeeper {
	const control = new AbortController();
	const begun = performance.now();
	let why: ReturnType<LeaseKeeper["stopped"]> = null;
	let latest: Readonly<Record<string, unknown>> = {};
	let isBusy = false;
	const halt = (reason: NonNullable<typeof why>): void => {
		why ??= reason;
		control.abort(new InterruptedError(`the run was ${reason}`));
	};
	const restore = async (): Promise<void> => {
		if ((await insist(() => desk.restore(lease, request, ms))) === "fenced") {
			halt("fenced");
			throw fenced(lease.run);
		}
		// Should this conductor die too, the message brings the run to the next one.
		await insist(() => queue.send(lease.run, lease.skill));
	};
	const renew = async (): Promise<void> => {
		const answer = await insist(() =>
			desk.renew(lease, ms, Object.keys(latest).length === 0 ? "" : JSON.stringify(latest)),
		);
		if (answer === "missing") return restore();
		if (answer === "cancel") halt("cancelled");
		if (answer !== "fenced") return;
		halt("fenced");
		throw fenced(lease.run);
	};
	const timer = setInterval(() => {
		if (isBusy) return;
		isBusy = true;
		// What is thrown here is thrown again by whoever needs the lease.
		void renew()
			.catch(() => undefined)
			.finally(() => {
				isBusy = false;
			});
	}, EVERY_MS);
	const onStop = (): void => halt("stopped");
	if (stop.aborted) onStop();
	stop.addEventListener("abort", onStop);
	return {
		signal: control.signal,
		stopped: () => why,
		report(value) {
			latest = { ...latest, ...value };
		},
		confirm: renew,
		seconds: () => (performance.now() - begun) / 1000,
		restore,
		end() {
			clearInterval(timer);
			stop.removeEventListener("abort", onStop);
		},
	};
}
