import { describe, expect, it } from "vitest";
import { readEndpoint } from "../../src/adapters/endpoint-address.ts";
import { UnavailableError, UsageError } from "../../src/errors.ts";

const KEY = "sk-test-0123456789abcdef";

describe("the address of an endpoint", () => {
	it.each([
		["http to a public host", "http://api.example.com/v1", KEY, /unencrypted/],
		["http to a public address", "http://8.8.8.8/v1", KEY, /unencrypted/],
		["http to the address of cloud metadata", "http://169.254.169.254/v1", KEY, /unencrypted/],
		["a public host that only looks local", "http://localhost.example.com/v1", KEY, /unencrypted/],
		["another protocol", "ftp://localhost/v1", KEY, /not an http/],
		["no address", "localhost", KEY, /not an http/],
		["a password in the address", "https://me:secret@api.example.com/v1", KEY, /password/],
		["a key with a line end within", "https://api.example.com/v1", "sk-a\nb", /characters/],
	])("is refused as wrong usage: %s", (_name, baseUrl, apiKey, message) => {
		expect(() => readEndpoint(baseUrl, apiKey)).toThrow(UsageError);
		expect(() => readEndpoint(baseUrl, apiKey)).toThrow(message);
	});

	it.each([undefined, "", "  "])("needs a key when its host is public (%j)", (apiKey) => {
		expect(() => readEndpoint("https://api.example.com/v1", apiKey)).toThrow(UnavailableError);
	});

	it.each([
		"http://localhost:1/v1",
		"http://127.8.0.1/v1",
		"http://[::1]:1/v1",
		"http://[fd00::1]/v1",
		"http://10.0.0.5/v1",
		"http://172.31.0.5/v1",
		"http://192.168.1.5/v1",
		"http://ollama:11434/v1",
		"http://box.local/v1",
		"http://host.docker.internal:1234/v1",
	])("%s is near, so it needs neither encryption nor a key", (baseUrl) => {
		expect(readEndpoint(baseUrl, undefined).apiKey).toBe("none");
	});

	it("loses its final slash and keeps its query apart", () => {
		expect(readEndpoint("https://x.openai.azure.com/openai/deployments/d/?api-version=1", KEY)).toMatchObject({
			baseUrl: "https://x.openai.azure.com/openai/deployments/d",
			query: { "api-version": "1" },
			isAzure: true,
			isOpenAi: false,
		});
	});
});
