/** What a call costs that does nothing but call: the endpoint's own work and the way there and back, on this machine and now. */
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { exportFamily, startStand } from "../support/stand.ts";

const AT_ONCE = 16;

export interface Floor {
	/** Milliseconds per call. */
	wall: number;
	/** Of them, processor time of this process. */
	cpu: number;
}

/** Milliseconds of processor time of this process since its start. */
export function processorMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

/** What a call costs a bare client that sends `calls` requests for train cases, 16 at a time. */
export async function floorOf(family: string, calls: number): Promise<Floor> {
	const { cases, seedPrompt } = exportFamily(family);
	const stand = await startStand();
	const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
	try {
		let next = 0;
		const lane = async () => {
			while (next < calls) {
				const entry = cases[next++ % cases.length];
				const messages = [
					{ role: "system", content: seedPrompt },
					{ role: "user", content: entry?.input ?? "" },
				];
				await send(agent, `${stand.url}/chat/completions`, JSON.stringify({ model: "sim-task", messages }));
			}
		};
		const [started, cpu] = [performance.now(), processorMs()];
		await Promise.all(Array.from({ length: AT_ONCE }, lane));
		return { wall: (performance.now() - started) / calls, cpu: (processorMs() - cpu) / calls };
	} finally {
		agent.destroy();
		await stand.stop();
	}
}

function send(agent: Agent, url: string, body: string): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
		const sent = request(url, { method: "POST", agent, headers }, (response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (part: string) => {
				text += part;
			});
			response.on("end", () => resolve(JSON.parse(text)));
		});
		sent.on("error", reject);
		sent.end(body);
	});
}
