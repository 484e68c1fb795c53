/** Loaded into a process by `--import`: says on stderr how much memory is in use after a collection, each time it gets SIGUSR2. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const MB = 1024 * 1024;
let n = 0;
process.on("SIGUSR2", () => {
	n += 1;
	// The second one takes what the finalizers of the first have let go.
	collect();
	collect();
	const { heapUsed, external, rss } = process.memoryUsage();
	const reading = { heapMb: heapUsed / MB, externalMb: external / MB, rssMb: rss / MB };
	process.stderr.write(`heap-${n} ${JSON.stringify(reading)}\n`);
});
