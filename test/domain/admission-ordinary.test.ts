import { describe, expect, it } from "vitest";
import { admitHarness } from "../../src/domain/admission.ts";
import { harnessOf, parseSkill } from "../../src/domain/skill.ts";
import { bytesOf } from "../support/skill-corpus.ts";

const skill = parseSkill(
	bytesOf(
		"# A\n\n- a\n\n<!-- kernel:begin id=output-contract -->\nOne word.\n<!-- kernel:end id=output-contract -->\n\n# B\n",
	),
);
const [first, last] = harnessOf(skill) as [string, string];

const SENTENCES = [
	"Use 5 % steps on the axis.",
	"Prefer the `line` chart for a trend.",
	"Swap the bars when a<b.",
	"Mark the point where x > y.",
	"Report Mean (SD) for each group.",
	"Name the source, e.g. foo/bar, in the footer.",
	"Use bars and/or lines.",
	"Answer with `json` only.",
	"Keep the title <25 words.",
	"At most <= 5 slices; >= 6 becomes a bar chart.",
	"Address the person by <name> in the first sentence.",
	"Start with Dear <first-name> <last-name>, then a blank line.",
	"Write `<name>` where the name is not known.",
	"Replace <project name> by the name of the project.",
	"Use the form <one-way|two-way> for the decision.",
	"Say <what's missing> in one sentence.",
	"Fill in <N> and <T> as given.",
	"- <id>: the number of the order.",
	"<start_date> comes before <end_date>.",
	"Reply as <label>: <value>.",
	"Use <time> and <data> as they were given.",
	"Type `List<String>` or `Map<K, V>` is fine.",
	"A `<div>` in the request is text.",
	"Quote tags such as `<details>` and `</details>` as code.",
	"Never write `<b class=x>` into the answer.",
	"```html\n<section>\n```",
	"A `` ` `` in the text is kept.",
	"Make it <b>bold</b> and H<sub>2</sub>O.",
	"Break long labels with <br> or <br/>.",
	"<details>\n<summary>More</summary>\n\nText.\n\n</details>",
	'<p align="center">Text</p>',
	'Spell out <abbr title="standard deviation">SD</abbr> once.',
	"<!-- a note for the editor -->",
	"If p < 0.05 and q > 0.1, say so.",
	"Arrows -> and => and <- are fine, <-> too.",
	"Love <3 and a > b < c.",
	"Ranges like 1 < n < 10 stay as they are.",
	"\\<div> is written with a backslash.",
	"It costs \\$5, or 5 USD, or 5 €.",
	"Use a 50/50 split; 1/2 is fine; see 3.5/4.",
	"Chart.js, D3.js and Node.js are names.",
	"See Fig. 3, i.e. the third, vs. the first.",
	"Version 2.0.1 is not 2.1.",
	"U.S. and U.K. figures, Ph.D. theses, 3 p.m. or 4 a.m. times.",
	"Write the answer @ 10 am; 5 @ 3 EUR each.",
	"Mention @team where the ticket says so.",
	"Use snake_case keys such as customer_id and MAX_VALUE.",
	"The PRIMARY_KEY is the order number; MAX_TOKENS is a limit.",
	"The key, the token and the password field are never shown.",
	'{"chart": "line", "x": {"field": "month"}}',
	'{"a": {"b": {"c": 1}}}',
	"The set {a, b} has two members, 50 % {of total}.",
	"Python code gets its own block; a bash script too.",
	"- Python lists become arrays.",
	"python scripts are named in the first sentence.",
	"Use a node for each person and an edge for each call.",
	"node labels are short.",
	"Run the numbers again before you answer.",
	"Read the request, write one sentence, edit nothing.",
	"Use read counts, write rates and task ids.",
	"Call the customer by name; use the shell colour for the background.",
	"Use terminal nodes only.",
	"The system (with all parts) is one item.",
	"Kill the noise; find the trend; move the legend.",
	"Remove (rm) nothing, copy (cp) nothing.",
	"The Docker team owns container tickets; AWS S3 costs go to cloud.",
	"Git commits are quoted by their first line.",
	"See [the rules](#b) and [below][x].",
	"Note: use line. Exception: dates.",
	"key: value pairs, ratio 3:2, at 10:30.",
	"Prix : 10\u00A0000\u202F€, «\u00A0oui\u00A0».",
	"\u4F7F\u7528\u3000\u6298\u7EBF\u56FE\u3002",
	"\u3000\u3000\u4F7F\u7528\u6298\u7EBF\u56FE\u3002",
	"Gr\u00F6\u00DFe, na\u00EFve, \u043F\u0440\u0430\u0432\u0438\u043B\u043E, \u0395\u03BB\u03BB\u03B7\u03BD\u03B9\u03BA\u03AC, \u65E5\u672C\u8A9E \u{1F600}.",
	"A B C D grades; a b c d e f g h i j k l m n.",
	"The kernel of the argument ends the answer.",
	"Popcorn kernels begin to pop: end the timer.",
	"R & D, Q&A, AT&T; 3 &lt; 5.",
	"| a | b |\n|---|---|\n| 1 | <5 |",
	"> Quote the customer > 10 words only.",
	"Cost is $$ or $$$ on the price scale.",
	"A ~ B, about ~5, *very* _small_.",
	"1. First\n2. Second\n   - deep",
	"## Units\n\nPut the unit behind <value>.",
];

describe("an ordinary rule", () => {
	it("is what this table has plenty of", () => {
		expect(SENTENCES.length).toBeGreaterThan(60);
	});

	it.each(SENTENCES)("%j is admitted in front of a kernel and behind it", (sentence) => {
		for (const harness of [
			[`${first}${sentence}\n\n`, last],
			[`${first}- ${sentence.replaceAll("\n", "\n  ")}\n\n`, last],
			[first, `${last}\n${sentence}\n`],
		]) {
			const admission = admitHarness(skill, [first, last], harness);
			expect(admission.ok ? [] : admission.refusals).toEqual([]);
		}
	});
});
