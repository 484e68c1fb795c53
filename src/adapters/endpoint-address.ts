/**
 * Reads a base URL into what the model client needs, and refuses the ones that would carry a key unprotected. Knows
 * addresses; sends nothing. Invariant: text in clear goes to this machine or a private network only.
 */
import { BlockList, isIP } from "node:net";
import { UnavailableError, UsageError } from "../errors.ts";

export interface Endpoint {
	/** Without query and without a final slash. */
	baseUrl: string;
	/** What stood behind the question mark, such as Azure's `api-version`. */
	query: Record<string, string>;
	/** The key, or `none` where none is needed. */
	apiKey: string;
	/** Host, with its port where it is not the usual one, for messages. */
	host: string;
	/** api.openai.com itself. */
	isOpenAi: boolean;
	/** Azure's older addresses read the key from a header of their own. */
	isAzure: boolean;
}

const PRIVATE_NAME = /(^|\.)(localhost|local|lan|internal|intranet|home\.arpa)$/;
const PRIVATE_RANGES = new BlockList();
for (const [net, bits] of [
	["127.0.0.0", 8],
	["10.0.0.0", 8],
	["172.16.0.0", 12],
	["192.168.0.0", 16],
] as const) {
	PRIVATE_RANGES.addSubnet(net, bits, "ipv4");
}
for (const [net, bits] of [
	["::1", 128],
	["fc00::", 7],
	["fe80::", 10],
] as const)
	PRIVATE_RANGES.addSubnet(net, bits, "ipv6");

/**
 * @throws UsageError for an address that is none, is not http(s), holds credentials, is plain http to a public host, or comes with a key that no
 * header can carry.
 * @throws UnavailableError when a public host is to be asked without a key.
 */
export function readEndpoint(baseUrl: string, apiKey: string | undefined): Endpoint {
	const url = parse(baseUrl);
	const host = url.hostname.toLowerCase();
	const isNear = isPrivateHost(host);
	if (url.protocol === "http:" && !isNear) {
		throw new UsageError({
			message: `The model endpoint ${url.origin} would receive the key and all prompts unencrypted`,
			hint: "Use https://. Plain http is for this machine and private networks.",
		});
	}
	const key = apiKey?.trim();
	if (!key && !isNear) {
		throw new UnavailableError({
			message: `There is no API key for the model endpoint ${host}`,
			hint: "Set OPENAI_API_KEY, or name a local endpoint with --base-url or OPENAI_BASE_URL.",
		});
	}
	if (key && !/^[\x21-\x7e]+$/.test(key)) {
		throw new UsageError({
			message: `The API key for the model endpoint ${host} holds characters that no key can have`,
			hint: "Copy it again without spaces, quotes and line ends.",
		});
	}
	return {
		baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
		query: Object.fromEntries(url.searchParams),
		apiKey: key || "none",
		host: url.host.toLowerCase(),
		isOpenAi: host === "api.openai.com",
		isAzure: host.endsWith(".azure.com") || host.endsWith(".azure.us"),
	};
}

function parse(baseUrl: string): URL {
	const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
	if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
		throw new UsageError({
			message: "The base URL of the model endpoint is not an http or https address",
			hint: "It looks like https://api.openai.com/v1 or http://localhost:11434/v1.",
		});
	}
	if (url.username !== "" || url.password !== "") {
		throw new UsageError({
			message: `The base URL of the model endpoint ${url.host} holds a user name or password`,
			hint: "Take it out of the address and give the key in OPENAI_API_KEY.",
		});
	}
	return url;
}

/** Loopback, private ranges, and names that no public zone can hold (one label, .local and the like). */
function isPrivateHost(host: string): boolean {
	const address = host.replace(/^\[|\]$/g, "");
	const family = isIP(address);
	if (family !== 0) return PRIVATE_RANGES.check(address, family === 6 ? "ipv6" : "ipv4");
	return !host.includes(".") || PRIVATE_NAME.test(host);
}
