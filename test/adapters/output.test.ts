/** What reaches the terminal, whatever a command prints. */
import { styleText } from "node:util";
import { describe, expect, it } from "vitest";
import { createIo, paint, printDocument } from "../../src/cli/output.ts";

const HOSTILE = "m\u001b]52;c;aGk=\u0007\u001b[2J\u001b[8m\u202e\u009b1A\r";
const WRITTEN = "m\\u{1B}]52;c;aGk=\\u{7}\\u{1B}[2J\\u{1B}[8m\\u{202E}\\u{9B}1A\\u{D}";

interface Played {
	written: string;
	listeners: ((error: NodeJS.ErrnoException) => void)[];
}

function world({ color = false, json = false } = {}) {
	const play = (): Played => ({ written: "", listeners: [] });
	const stream = (played: Played) => ({
		isTTY: color,
		write: (text: string) => {
			played.written += text;
		},
		on: (_event: "error", listener: (error: NodeJS.ErrnoException) => void) => played.listeners.push(listener),
	});
	const [out, err, lost] = [play(), play(), [] as Error[]];
	const io = createIo({
		json,
		color,
		env: { TERM: "xterm" },
		cwd: "/somewhere",
		stdin: {},
		stdout: stream(out),
		stderr: stream(err),
		onLostOutput: (error) => lost.push(error),
		watchSignals: () => new AbortController().signal,
	});
	return { io, out, err, lost };
}

describe("text on the two streams", () => {
	it.each([false, true])("holds nothing that a terminal would obey (colour: %s)", (color) => {
		const { io, out, err } = world({ color });
		io.out(`one ${HOSTILE} \n\ttwo`);
		io.err(`one ${HOSTILE} \n\ttwo`);
		expect(out.written).toBe(`one ${WRITTEN} \n\ttwo\n`);
		expect(err.written).toBe(out.written);
	});

	it("keeps every colour of our own where colour is allowed", () => {
		const { io, out } = world({ color: true });
		const styles = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;
		for (const style of styles) io.out(paint(io, style, `a ${HOSTILE}`));
		const painted = styles.map((style) => styleText(style, `a ${WRITTEN}`, { validateStream: false }));
		expect(out.written).toBe(`${painted.join("\n")}\n`);
	});

	it("holds no colour where none is allowed", () => {
		const { io, err } = world();
		io.err("\u001b[31mred\u001b[39m");
		expect(err.written).toBe("\\u{1B}[31mred\\u{1B}[39m\n");
	});

	it("is a document that says the same in JSON's own escapes", () => {
		const value = `${HOSTILE}\u3164\u200d\ufe0f`;
		for (const json of [true, false]) {
			const { io, out } = world({ json });
			if (json) printDocument(io, { value });
			else io.out(JSON.stringify({ schemaVersion: 1, value }));
			expect(JSON.parse(out.written)).toEqual({ schemaVersion: 1, value });
			expect(out.written).not.toMatch(/[\p{Default_Ignorable_Code_Point}\u007f-\u009f]|(?!\n)\p{Cc}/u);
		}
	});
});

describe("a stream that cannot be written to", () => {
	const failure = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });

	it("ends the command when it is stdout, unless its reader went away", () => {
		const { out, lost } = world();
		for (const code of ["EPIPE", "ENOSPC"]) for (const tell of out.listeners) tell(failure(code));
		expect(lost.map((error) => error.message)).toEqual(["ENOSPC"]);
	});

	it("is ignored when it is stderr, which may be closed on purpose", () => {
		const { err, lost } = world();
		expect(err.listeners.length).toBeGreaterThan(0);
		for (const code of ["EBADF", "EPIPE", "ENOSPC", "EIO"]) for (const tell of err.listeners) tell(failure(code));
		expect(lost).toEqual([]);
	});
});
