import { defineConfig } from "vitest/config";

/** On a machine that does other things, too, a server may answer late: one more try there. What fails twice is wrong. */
const retry = process.env.CI ? 1 : 0;
const services = ["test/contract/**/*.test.ts", "test/integration/**/*.test.ts", "test/browser/**/*.test.ts"];

export default defineConfig({
	test: {
		projects: [
			{
				test: {
					name: "unit",
					include: ["test/{domain,prompts,engine,capture,report,golden,architecture,adapters,bench}/**/*.test.ts"],
					testTimeout: 60_000,
					// Pure code keeps nothing between files: sharing the modules saves most of the time.
					isolate: false,
					maxWorkers: 2,
				},
			},
			// Many random inputs: slow by intent, and kept out of the quick suite.
			{
				test: {
					name: "property",
					include: ["test/property/**/*.test.ts"],
					testTimeout: 300_000,
					sequence: { groupOrder: 1 },
				},
			},
			// Runs behind a queue under faults; GEPA_FAULTS=all takes every cell instead of the quick ones.
			{
				test: {
					name: "faults",
					retry,
					include: ["test/faults/**/*.test.ts"],
					testTimeout: 300_000,
					hookTimeout: 180_000,
					maxWorkers: 2,
					sequence: { groupOrder: 3 },
				},
			},
			{
				test: {
					name: "services",
					retry,
					include: services,
					testTimeout: 240_000,
					hookTimeout: 120_000,
					maxWorkers: 2,
					sequence: { groupOrder: 2 },
				},
			},
		],
	},
});
