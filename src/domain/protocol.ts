/**
 * The protocol: all that is held fixed so that variants can be compared. Two runs of the same protocol may be compared; one
 * run goes on only under its own.
 */
import { digest } from "./digest.ts";
import type { Settings } from "./job-spec.ts";
import type { Pin } from "./kernel.ts";

/** Raised whenever messages are assembled in another way, or a contract is asked for in other words. */
export const PROTOCOL_VERSION = 1;

/** Digest of the protocol of a run; the price of a model is no part of it. */
export function protocolDigest(settings: Settings, pin: Pin): string {
	const { price: _task, ...task } = settings.models.task;
	const { price: _judge, ...judge } = settings.models.judge;
	const { kernelSha256: kernel, frontmatterSha256: frontmatter } = pin;
	return digest({ protocol: PROTOCOL_VERSION, task, judge, maxRetries: settings.maxRetries, kernel, frontmatter });
}
