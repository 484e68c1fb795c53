/**
 * Writes what a run leaves to read: each variant as the SKILL.md that it would become, and the report in three renderings of one
 * view. A cache: all of it can be made again from the log and the store.
 */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { PaidReplies } from "../adapters/paid-replies.ts";
import { writeWhole } from "../adapters/run-folder.ts";
import type { Case } from "../domain/case.ts";
import { reportFile } from "../domain/report.ts";
import { openingOf, type RunState } from "../domain/run-state.ts";
import { rebuildSkill, type Skill } from "../domain/skill.ts";
import { groupsOf } from "../engine/search/groups.ts";
import { causesAmong } from "../engine/search/view.ts";
import type { DialogueStore } from "../ports/dialogue-store.ts";
import { reportHtml } from "../report/html.ts";
import { reportJson } from "../report/json.ts";
import { reportMarkdown } from "../report/markdown.ts";
import { viewRun } from "../report/run-view.ts";
import type { RunView } from "../report/view.ts";
import type { RunHistory } from "../report/view-progress.ts";
import { writeOutputs } from "./write-outputs.ts";

export interface ReportSource {
	state: RunState;
	skill: Skill;
	cases: readonly Case[];
	folder: string;
	/** Folder that paths in the report are relative to. */
	cwd: string;
	seconds: number;
	harvested: number;
	/** Absolute path of the skills repository, where it is known. */
	repositoryPath: string | null;
	/** Flags of the command that goes on with the run, as far as its log does not hold them. */
	resumeFlags?: readonly string[];
	/** The log with its times, where it is at hand. */
	history?: RunHistory;
	/** What an open run has paid for, as its store tells it. */
	paid?: PaidReplies;
}

const variantPath = (folder: string, id: string) => join(folder, "variants", `${id}.md`);

/**
 * The view of a run as it stands, with the paths of the files that {@link writeReport} writes.
 * @param files "planned" names them although they may still have to be written, "there" only those that are
 */
export function viewOfRun(source: ReportSource, files: "planned" | "there" = "planned"): RunView {
	const { state, cases, folder, cwd, seconds, harvested, repositoryPath, resumeFlags, paid, history } = source;
	const shown = (path: string) => (files === "planned" || existsSync(path) ? relative(cwd, path) : null);
	const variants = Object.keys(state.variants).flatMap((id) => {
		const path = shown(variantPath(folder, id));
		return path === null ? [] : [[id, path] as const];
	});
	const causes = causesAmong(cases, openingOf(state).trainSample);
	return viewRun(state, cases, {
		files: Object.fromEntries(variants),
		reportPath: shown(join(folder, reportFile("html"))),
		repositoryPath,
		seconds,
		harvested,
		groupsOf: (some, trialOf) => groupsOf(some, trialOf, causes),
		...(resumeFlags !== undefined && { resumeFlags }),
		...(paid !== undefined && { paid }),
		...(history !== undefined && { history }),
	});
}

/** Writes variants and reports; returns the view they show. */
export async function writeReport(source: ReportSource, store: DialogueStore): Promise<RunView> {
	const { state, skill, folder } = source;
	for (const variant of Object.values(state.variants)) {
		const path = variantPath(folder, variant.id);
		if (!existsSync(path)) writeWhole(path, rebuildSkill(skill, variant.harness));
	}
	const view = viewOfRun(source);
	writeWhole(join(folder, reportFile("json")), reportJson(view));
	writeWhole(join(folder, reportFile("md")), reportMarkdown(view));
	const { outputs, sidecar } = await writeOutputs(
		view,
		{ cases: source.cases, settings: openingOf(state).settings },
		folder,
		store,
	);
	writeWhole(join(folder, reportFile("html")), reportHtml(view, { outputs, sidecar }));
	return view;
}
