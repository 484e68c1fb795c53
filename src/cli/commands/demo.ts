/**
 * `gepa demo`: the shipped skill with the built-in rules, whatever endpoint is configured, in the demo repository. Free, offline,
 * and the same command as `gepa run dataviz` underneath.
 */
import type { Flags } from "../flags.ts";
import type { Io } from "../io.ts";
import { runCommand } from "./run.ts";

const SKILL = "dataviz";
/** Variables that would lead to an endpoint, a queue or somebody's repository. */
const OUTSIDE = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "GEPA_QUEUE_URL", "REDIS_URL", "GEPA_SKILLS_REPO"];

export async function demoCommand(flags: Flags, io: Io): Promise<void> {
	const env = Object.fromEntries(Object.entries(io.env).filter(([name]) => !OUTSIDE.includes(name)));
	await runCommand(SKILL, flags, Object.create(io, { env: { value: env } }) as Io);
}
