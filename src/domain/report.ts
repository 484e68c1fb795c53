/** The report of a run: one view of it, in three renderings with equal figures. */
export const REPORT_FORMATS = ["html", "md", "json"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Name of the file of a rendering in the run's folder. */
export function reportFile(format: ReportFormat): string {
	return `report.${format}`;
}

/** Inputs and outputs of every case, one a line, where they are too many for the page. */
export const SIDECAR_FILE = "report-cases.jsonl";
