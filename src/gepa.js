#!/usr/bin/env node
// The executable that npm links. It only hands over to the built command line, so that a missing build is one clear sentence.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(main)) {
	await import(main.href);
} else {
	process.stderr.write("gepa is not built yet. Run: npm run build\n");
	process.exitCode = 4;
}
