/** The view of a sample run, with everything that a run's folder would add. */
import { createCauses } from "../../src/engine/search/causes.ts";
import { groupsOf } from "../../src/engine/search/groups.ts";
import { viewRun } from "../../src/report/run-view.ts";
import type { RunView, ViewContext } from "../../src/report/view.ts";
import { type SampleOptions, type SampleRun, sampleRun } from "./sample-run.ts";

export function sampleView(options: SampleOptions = {}, context: Partial<ViewContext> = {}): RunView {
	return viewOf(sampleRun(options), context);
}

export function viewOf(run: SampleRun, context: Partial<ViewContext> = {}): RunView {
	const folder = "results/dataviz/20260301T021500Z-dataviz-7c1f";
	const files = Object.fromEntries(Object.keys(run.state.variants).map((id) => [id, `${folder}/variants/${id}.md`]));
	const causes = createCauses(run.cases);
	return viewRun(run.state, run.cases, {
		files,
		reportPath: `${folder}/report.html`,
		seconds: 203.4,
		harvested: 12,
		groupsOf: (some, trialOf) => groupsOf(some, trialOf, causes),
		...context,
	});
}
