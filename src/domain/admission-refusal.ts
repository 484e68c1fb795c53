/**
 * Why a proposed harness is not admitted: the stable codes that logs and reports show, and what each means.
 */

/** Every code that a refusal can have, with what it means. */
export const ADMISSION_CODES = {
	segments: "another number of harness segments than the skill has",
	"broken-text": "half of a character, which no UTF-8 can hold",
	"too-large": "over the growth budget",
	"marker-like": "text that would pass for a kernel marker, in any disguise",
	"frontmatter-start": "a start that would be read as frontmatter",
	"open-block": "a fence or HTML block that is left open",
	"open-element": "an element left open in front of a kernel, or closed without having been opened",
	"open-comment": "a comment left open",
	"link-definition": "a link or footnote label that a kernel uses",
	"inline-shell": "shell that a host runs before the model reads",
	"template-variable": "a variable that a host fills in",
	environment: "the name of a variable or secret of the environment",
	url: "an address or host",
	"tool-grant": "a tool, or a grant of one",
	"file-reference": "a file or folder",
	command: "a command",
	encoded: "encoded text that nobody can review",
	"active-html": "HTML that loads, runs, hides or restyles something",
	invisible: "a character that nobody sees or can tell from a blank, or a control character",
	"look-alike": "a word that mixes letters of scripts that look alike",
	"case-text": "a long run of text from the recorded cases",
	"kernel-proof": "a rebuilt file whose kernel or frontmatter is not the original's",
} as const;
export type AdmissionCode = keyof typeof ADMISSION_CODES;

export interface AdmissionRefusal {
	code: AdmissionCode;
	message: string;
	/** Harness segment, from 0. */
	segment: number;
	/** Line within the segment, from 1; absent when the whole segment is meant. */
	line?: number;
}
