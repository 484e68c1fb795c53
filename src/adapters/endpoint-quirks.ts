/**
 * What an endpoint refuses of a request, learnt from its complaints. Knows the names and texts that endpoints use; sends
 * nothing. Invariant: each lesson goes one step down a finite ladder, so that asking again ends, and a complaint about a
 * *value* (too many tokens, temperature out of range) teaches nothing: it is the person's to mend.
 */

export interface Quirks {
	/** Whether a temperature may be sent. Reasoning models refuse all but their default. */
	temperature: boolean;
	reasoningEffort: boolean;
	/** Newer models of OpenAI and Azure refuse the first, Mistral and older servers the second. */
	limit: "max_tokens" | "max_completion_tokens";
	/** How structured output is asked for; see `FORMATS`. */
	format: (typeof FORMATS)[number];
	/** `merged`: into the first user message, for models without system messages. */
	system: "system" | "developer" | "merged";
}

/** From the strictest to the one that every model understands: a sentence that asks for a fence. */
const FORMATS = ["strict", "schema", "object", "fence"] as const;

export const NO_QUIRKS: Quirks = {
	temperature: true,
	reasoningEffort: true,
	limit: "max_tokens",
	format: "strict",
	system: "system",
};

/** What was refused: HTTP status, the text of the answer, and the parameter where the endpoint names one. */
export interface Complaint {
	status: number;
	text: string;
	param: string | null;
}

/** Which parts of a request were in use when it was refused. */
export interface Sent {
	quirks: Quirks;
	temperature: boolean;
	reasoningEffort: boolean;
	limit: boolean;
	format: boolean;
	system: boolean;
}

const REFUSED =
	/unsupported|not support|unrecogni[sz]ed|unknown|unexpected|extra.?(inputs|fields|forbidden)|not (permitted|allowed|available|implemented)|unavailable|may only|only the default|deprecated|no longer|use '?max_/i;

/** The lesson of a complaint, as what to change; null when there is none, so that asking again would be useless. */
export function learn(complaint: Complaint, sent: Sent): Partial<Quirks> | null {
	if (complaint.status !== 400 && complaint.status !== 422) return null;
	const isAbout = (name: RegExp) => (complaint.param === null ? name.test(complaint.text) : name.test(complaint.param));
	const isRefusal = REFUSED.test(complaint.text);
	if (sent.format && isAbout(/response_format|json_schema|json_object|structured.output|guided/i)) {
		return lowerFormat(sent.quirks.format, complaint.text);
	}
	if (sent.limit && isRefusal && isAbout(/\bmax_(completion_)?tokens\b/i))
		return swapLimit(sent.quirks.limit, complaint.text);
	if (sent.reasoningEffort && isRefusal && isAbout(/reasoning|thinking/i)) return { reasoningEffort: false };
	if (sent.temperature && isRefusal && isAbout(/\btemperature\b/i)) return { temperature: false };
	if (
		sent.system &&
		isAbout(/messages?\b.*\brole|system.{0,9}(role|message|prompt)|role.{0,40}system|roles must alternate/is)
	) {
		return lowerSystem(sent.quirks.system, complaint.text);
	}
	return null;
}

/** One step down: two where the type itself is refused, since a looser schema of the same type would be refused too. */
function lowerFormat(format: Quirks["format"], text: string): Partial<Quirks> | null {
	const isSchema = format === "strict" || format === "schema";
	const next = isSchema && !/invalid.{0,4}schema|strict/i.test(text) ? "object" : FORMATS[FORMATS.indexOf(format) + 1];
	return next === undefined ? null : { format: next };
}

/** Only when the other name is not the refused one too. */
function swapLimit(limit: Quirks["limit"], text: string): Partial<Quirks> | null {
	const other = limit === "max_tokens" ? "max_completion_tokens" : "max_tokens";
	const named = new RegExp(`\\b${limit}\\b`, "i").test(text);
	return named ? { limit: other } : null;
}

function lowerSystem(system: Quirks["system"], text: string): Partial<Quirks> {
	return { system: system === "system" && /use.{0,20}developer/i.test(text) ? "developer" : "merged" };
}
