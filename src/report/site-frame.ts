/**
 * The frame of the pages of `gepa serve`: head, way back, and the policy that says what a page may do. It must not know a run.
 *
 * Invariant: a page runs the one script and uses the one style sheet whose hashes its policy names, and sends forms to its own
 * origin alone.
 */
import { sha256 } from "../domain/digest.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { type Child, html, rawScript, rawStyle } from "./safe-html.ts";
import { SITE_SCRIPT } from "./site-script.ts";

const SITE_STYLE = `
textarea,input[type=text],input[type=password]{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:4px;padding:.4rem .55rem;width:100%;max-width:46rem}
form label{display:block;margin:.5rem 0}form label.line{display:flex;gap:.5rem;align-items:baseline}
.note-entry{border-bottom:1px solid var(--line);padding:.6rem 0;max-width:50rem}.note-entry form{display:inline}
h1{font-size:1.5rem;line-height:1.3}header nav+h1{margin-top:.9rem}main>section:first-child h2{margin-top:1.25rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem}.card h3{margin-top:0}
progress{width:100%;max-width:30rem;accent-color:var(--accent)}
dl.live{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.5rem 1.5rem}dl.live dt{color:var(--soft);font-size:.8rem}dl.live dd{margin:0;font-variant-numeric:tabular-nums}
@media (max-width:40rem){button{padding:.5rem .9rem}.wide table{min-width:32rem}}
`;
const STYLE = PAGE_STYLE + SITE_STYLE;

const hashOf = (text: string) => `'sha256-${Buffer.from(sha256(text), "hex").toString("base64")}'`;

/** Content-Security-Policy of the pages of the site. */
export const SITE_POLICY = [
	...["default-src 'none'", `style-src ${hashOf(STYLE)}`, `script-src ${hashOf(SITE_SCRIPT)}`, "connect-src 'self'"],
	...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join("; ");

export interface FrameOptions {
	title: string;
	/** Where the page stands: names with their addresses, from the top. */
	trail?: readonly { name: string; to: string }[];
	/** Whether there is a queue to look at. */
	hasQueue?: boolean;
}

export function sitePage({ title, trail = [], hasQueue = false }: FrameOptions, content: Child): string {
	return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${rawStyle(STYLE)}
</head>
<body>
<header>
<nav aria-label="Site"><ul><li><a href="/"><strong>gepa</strong></a></li><li><a href="/skills">skills</a></li><li><a href="/runs">runs</a></li>${hasQueue && html`<li><a href="/queue">queue</a></li>`}${trail.map(({ name, to }) => html`<li><span aria-hidden="true">›</span> <a href="${to}">${name}</a></li>`)}</ul></nav>
<h1>${title}</h1>
</header>
<main>${content}</main>
<footer>Made by gepa from the logs of its runs. Nothing here changes a skill or a run; notes are kept beside the run.</footer>
${rawScript(SITE_SCRIPT)}
</body>
</html>
`.markup;
}
