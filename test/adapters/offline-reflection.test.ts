import { describe, expect, it } from "vitest";
import { createOfflineClient, OFFLINE_MODEL } from "../../src/adapters/offline/offline-client.ts";
import {
	type CheckNote,
	type ReflectRequest,
	reflectFormat,
	reflectReplySchema,
	renderReflect,
} from "../../src/prompts/reflect.ts";

const KERNEL =
	"Reply with one bare JSON object and nothing else.\n- `queue`: `general`, `billing`, `shipping`\n- `priority`: `normal`, `high`";
const SECTIONS = [
	{
		kind: "section" as const,
		id: "queues",
		text: "## Queues\n- Everything about money: `queue` is\n  `general`.\n- Be consistent.",
	},
	{
		kind: "section" as const,
		id: "style",
		text: "## Style\n- Explain the choice below the answer.\n- `priority` is always `normal`.",
	},
];
const FIXED: CheckNote = {
	wanted: '/queue equals "billing"',
	found: "general",
	note: "Refunds and invoices about money; set queue to billing.",
};

function requestFor(failed: readonly CheckNote[], changes: Partial<ReflectRequest> = {}): ReflectRequest {
	return {
		skill: { name: "triage", description: "Sorts messages." },
		document: [{ kind: "kernel", text: KERNEL }, ...SECTIONS],
		focus: "The queue is wrong.",
		failing: [{ caseId: "t-1", input: "Refund the money of my invoice", output: '{"queue":"general"}', failed }],
		rejected: [],
		keep: [],
		limits: { edits: 3, characters: 400 },
		nonce: "n0",
		...changes,
	};
}

async function ask(request: ReflectRequest): Promise<string> {
	const answer = await createOfflineClient().complete(
		{
			role: "reflection",
			model: { name: OFFLINE_MODEL },
			messages: renderReflect(request),
			format: reflectFormat(["queues", "style"]),
		},
		{ signal: new AbortController().signal },
	);
	return answer.status === "answered" ? answer.reply.text : "";
}

/** Replies to the same request under other nonces, those that can be read. */
async function proposals(failed: readonly CheckNote[], changes: Partial<ReflectRequest> = {}, n = 100) {
	const replies = await Promise.all(
		Array.from({ length: n }, (_, i) => ask(requestFor(failed, { ...changes, nonce: `n${i}` }))),
	);
	const readable = replies.flatMap((reply) => {
		try {
			return [reflectReplySchema.parse(JSON.parse(reply))];
		} catch {
			return [];
		}
	});
	return { readable, broken: n - readable.length };
}

describe("the offline reflection", () => {
	it("states the note with the wanted value and its key in marks, in the section that speaks of it", async () => {
		const { readable } = await proposals([FIXED]);
		const line = "- Refunds and invoices about money: `queue`: `billing`.";
		expect(readable.every((reply) => reply.edits.some((edit) => edit.text === line))).toBe(true);
		expect(readable.every((reply) => reply.edits[0]?.section === "queues")).toBe(true);
	});

	it("sometimes replaces the line that led astray, exactly as it stands", async () => {
		const { readable } = await proposals([FIXED]);
		const replaced = readable.flatMap((reply) => reply.edits).filter((edit) => edit.op === "replace");
		expect(replaced.length).toBeGreaterThan(10);
		expect(replaced.length).toBeLessThan(90);
		expect(new Set(replaced.map((edit) => edit.find))).toEqual(
			new Set(["- Everything about money: `queue` is\n  `general`."]),
		);
	});

	it("leaves a proven line alone", async () => {
		const { readable } = await proposals([FIXED], { keep: ["Everything about money: `queue` is `general`."] });
		expect(readable.flatMap((reply) => reply.edits).filter((edit) => edit.find?.includes("money"))).toEqual([]);
	});

	it("does not propose again what was tried without effect", async () => {
		const tried = { text: "- Refunds and invoices about money: `queue`: `billing`.", effect: "no change" };
		const { readable } = await proposals([{ ...FIXED, found: "shipping" }], { rejected: [tried] });
		expect(readable.flatMap((reply) => reply.edits).filter((edit) => edit.text === tried.text)).toEqual([]);
	});

	it("takes away lines that invite words around the answer when the form is broken", async () => {
		const { readable } = await proposals([
			{ wanted: "a bare JSON value that satisfies the schema", note: "The object alone." },
		]);
		expect(readable.every((reply) => reply.edits[0]?.find === "- Explain the choice below the answer.")).toBe(true);
	});

	it("writes what the inputs share when a check has no note", async () => {
		const { readable } = await proposals([{ wanted: "`/queue` is one of [billing, shipping]", found: "general" }]);
		const text = readable.flatMap((reply) => reply.edits).find((edit) => edit.text?.includes("`queue`"))?.text;
		expect(text).toMatch(/^- Requests about invoice, money, refund: `queue`: `(billing|shipping)`\.$/);
	});

	it("honours the limits, adds filler now and then and breaks the form rarely", async () => {
		const one = await proposals([FIXED, { ...FIXED, wanted: '/priority equals "high"' }], {
			limits: { edits: 1, characters: 400 },
		});
		expect(Math.max(...one.readable.map((reply) => reply.edits.length))).toBe(1);
		const short = await proposals([FIXED], { limits: { edits: 3, characters: 20 } }, 30);
		expect(short.readable.flatMap((reply) => reply.edits).every((edit) => (edit.text?.length ?? 0) <= 20)).toBe(true);
		const many = await proposals([FIXED], {}, 300);
		expect(many.broken).toBeGreaterThan(2);
		expect(many.broken).toBeLessThan(40);
		const added = many.readable.filter(
			(reply) => reply.edits.filter((edit) => edit.op === "append" && !edit.text?.includes("`")).length > 0,
		);
		expect(added.length).toBeGreaterThan(15);
		expect(added.length).toBeLessThan(90);
	});

	it("merges edits that are given as JSON and keeps each once", async () => {
		const edit = (text: string) => ({ op: "append", section: "queues", find: null, text });
		const given = [{ edits: [edit("- a rule"), edit("- another rule")] }, { edits: [edit("- a rule")] }];
		const answer = await createOfflineClient().complete(
			{
				role: "reflection",
				model: { name: OFFLINE_MODEL },
				messages: [
					{
						role: "user",
						content: `Merge these proposals into one.\n${given.map((item) => JSON.stringify(item)).join("\n")}`,
					},
				],
				format: reflectFormat(["queues"]),
			},
			{ signal: new AbortController().signal },
		);
		const reply = answer.status === "answered" ? reflectReplySchema.parse(JSON.parse(answer.reply.text)) : undefined;
		expect(reply?.edits.map((one) => one.text)).toEqual(["- a rule", "- another rule"]);
	});

	it("ranks what reads like a rule before what says nothing", async () => {
		const answer = await createOfflineClient().complete(
			{
				role: "reflection",
				model: { name: OFFLINE_MODEL },
				messages: [
					{ role: "user", content: "Rank.\n[0] Be careful.\n[1] When money is asked for: `queue`: `billing`." },
				],
				format: { name: "ranking", schema: { properties: { ranking: { type: "array", items: { type: "integer" } } } } },
			},
			{ signal: new AbortController().signal },
		);
		expect(answer.status === "answered" && answer.reply.text).toBe('{"ranking":[1,0]}');
	});
});
