/** The report of a run: one view of it, in three renderings with equal figures, and exports of its cases. */
export const REPORT_FORMATS = ["html", "md", "json"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What is made for other tools when it is asked for, and never kept as a file. */
export const EXPORT_FORMATS = ["csv", "jsonl", "junit"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Name of the file of a rendering in the run's folder. */
export function reportFile(format: ReportFormat): string {
	return `report.${format}`;
}

/** Inputs and outputs of every case, one a line, where they are too many for the page. */
export const SIDECAR_FILE = "report-cases.jsonl";

/** Name of the page that compares a run with another one, in the folder of the run. */
export function comparisonFile(other: string): string {
	return `compare-${other}.html`;
}
