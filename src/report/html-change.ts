/**
 * The change: the document in order, harness sections as a diff by line and word, protected parts locked with their hash.
 * Sections that did not change are folded away.
 */
import { type DiffLine, diffLines } from "./diff.ts";
import { plural } from "./numbers.ts";
import { type Child, html, type SafeHtml } from "./safe-html.ts";
import type { DocumentPart, RunView } from "./view.ts";
import { clip, visiblePieces } from "./visible-text.ts";

/** Unchanged lines shown around a change. */
const AROUND = 2;
const TOKEN = 200;

export function changeSection(view: RunView): SafeHtml {
	const changed = view.document.filter((part) => part.kind === "section" && part.before !== part.after).length;
	const intro =
		view.challenger === null
			? "There is no other text; this is the document of v0."
			: `${plural(view.edits.length, "edit")} in ${plural(changed, "section")} of the harness, the part that may change. Frontmatter and kernel are locked: byte-equal to v0, as their hashes prove.`;
	return html`<section aria-labelledby="change"><h2 id="change">The change</h2><p>${intro}</p>
${capabilities(view)}<div class="doc">${view.document.filter((entry) => !isBlank(entry)).map(part)}</div></section>`;
}

/** Admission refuses what is gained, so a row is rare and worth a look. */
function capabilities(view: RunView): SafeHtml | null {
	if (view.challenger === null) return null;
	if (view.capabilities.length === 0)
		return html`<p class="note">Capabilities: none gained, none lost (commands, hosts, files, tools, variables, encoded text).</p>`;
	const rows = view.capabilities.map(
		({ change, kind, token }) =>
			html`<tr><td class="${change === "gained" ? "worse" : ""}">${change === "gained" ? "+ gained" : "− lost"}</td><td>${kind}</td><td class="text"><code>${clip(token, TOKEN)}</code></td></tr>`,
	);
	return html`<div class="wide" role="region" aria-label="Capabilities" tabindex="0"><table><caption>Capabilities</caption><thead><tr><th scope="col">change</th><th scope="col">kind</th><th scope="col">what</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Blank lines between two locked parts that nobody touched. */
function isBlank(entry: DocumentPart): boolean {
	return entry.kind === "section" && entry.before.trim() === "" && entry.before === entry.after;
}

function part(entry: DocumentPart): SafeHtml {
	switch (entry.kind) {
		case "frontmatter":
			return html`<details class="part locked"><summary>Frontmatter <span class="count">locked</span></summary><pre>${withHidden(entry.text)}</pre></details>`;
		case "kernel":
			return html`<details class="part locked"><summary>Kernel ${entry.id} <code title="SHA-256 of the region with its marker lines">${entry.sha256.slice(0, 16)}</code><span class="count">locked</span></summary><pre>${withHidden(entry.text)}</pre></details>`;
		case "section":
			return section(entry.title, entry.before, entry.after);
	}
}

function section(title: string | null, before: string, after: string): SafeHtml {
	const name = title ?? "Text before the first heading";
	if (before === after) {
		return html`<details class="part"><summary>${name} <span class="count">unchanged</span></summary><pre class="diff">${diffLines(before, after).map(line)}</pre></details>`;
	}
	const lines = diffLines(before, after);
	const count = (kind: DiffLine["kind"]) => lines.filter((entry) => entry.kind === kind).length;
	return html`<div class="part"><div class="head"><strong>${name}</strong> <span class="count">+${count("added")} −${count("removed")} lines</span></div><pre class="diff">${folded(lines)}</pre></div>`;
}

/** Changed lines with a little around them; longer unchanged stretches as their number. */
function folded(lines: readonly DiffLine[]): SafeHtml[] {
	const near = lines.map((_, index) =>
		lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((entry) => entry.kind !== "same"),
	);
	const shown: SafeHtml[] = [];
	for (let at = 0; at < lines.length; ) {
		if (near[at]) {
			shown.push(line(lines[at] as DiffLine));
			at++;
			continue;
		}
		let end = at;
		while (end < lines.length && !near[end]) end++;
		// A mark would take as much room as one line.
		if (end - at === 1) shown.push(line(lines[at] as DiffLine));
		else shown.push(html`<div class="gap">${plural(end - at, "line")} unchanged</div>`);
		at = end;
	}
	return shown;
}

function line({ kind, pieces }: DiffLine): SafeHtml {
	const inside = pieces.map(({ text, changed }) => {
		const shown = withHidden(text);
		// A line that is new as a whole needs no marks inside.
		if (!changed || pieces.length === 1) return shown;
		return kind === "removed" ? html`<del>${shown}</del>` : html`<ins>${shown}</ins>`;
	});
	return html`<div class="${kind}">${inside}</div>`;
}

/** Text in which what nobody would see stands out; the same escape that an author typed does not. */
function withHidden(text: string): Child {
	return visiblePieces(text).map(({ text: piece, hidden }) =>
		hidden ? html`<span class="hid" title="an invisible character">${piece}</span>` : piece,
	);
}
