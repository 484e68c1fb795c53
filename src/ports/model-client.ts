/**
 * A model that answers. Failure that is to be expected (rate limit, outage, refusal of the request) is a value; the
 * promise rejects only when the signal aborts or for a bug.
 */
import type { Message, ModelSettings, Reply, Role } from "../domain/dialogue.ts";

export interface ModelRequest {
	role: Role;
	model: ModelSettings;
	messages: readonly Message[];
	/** Asks for one JSON value of this shape where the endpoint can do it; in the fence of a prompt where it cannot. */
	format?: { name: string; schema: Readonly<Record<string, unknown>> };
}

/** Why there is no answer. `config` (key, model name, request refused) concerns every call: trying again is useless. */
export type Unavailable = "rate-limit" | "timeout" | "connection" | "server" | "too-large" | "malformed" | "config";

export type ModelAnswer =
	| { status: "answered"; reply: Reply; attempts: number }
	| {
			status: "unavailable";
			reason: Unavailable;
			/** For people; holds no secret and is at most 500 characters. */
			message: string;
			attempts: number;
			/** True when the endpoint may have worked (and charged) for the call although no answer arrived. */
			maybePaid: boolean;
			/** What the endpoint asked us to wait, in milliseconds. */
			retryAfterMs?: number;
			/** HTTP status, when there was one. */
			httpStatus?: number;
	  };

export interface ModelClient {
	complete(request: ModelRequest, options: { signal: AbortSignal }): Promise<ModelAnswer>;
}
