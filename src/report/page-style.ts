/**
 * The style sheet of the report. One accent, one good and one bad colour; everything that colour says is said by a word or a
 * shape too. Works light and dark, at 390 pixels, and in print.
 *
 * Constant text: nothing of a run ever goes in here.
 */
const PAIR_KEYS = [
	...["tokens-quality", "latencyMs-quality", "retries-quality", "latencyMs-tokens", "retries-tokens"],
	"retries-latencyMs",
];
/** Which figure is seen follows from the radio button that is chosen. */
const PAIR_RULES = PAIR_KEYS.map((key) => `.pairs:has(input[value=${key}]:checked) .pair.${key}`).join(",");
/** Eleven shades for quality 0 to 1; the figure stands in the cell all the same. */
const QUALITY_RULES = Array.from(
	{ length: 11 },
	(_, level) => `.q${level}{background:color-mix(in srgb,var(--accent) ${level * 3}%,transparent)}`,
).join("");

export const PAGE_STYLE = `
:root{color-scheme:light dark;--bg:#fbfbfa;--card:#fff;--ink:#1d1f23;--soft:#5b616b;--line:#e2e3e0;--grid:#ececea;
--accent:#2457b8;--good:#12703f;--bad:#a92c1e;--warn:#8a5a00;--good-bg:#e3f3e9;--bad-bg:#fbe9e6;--good-mark:#b5e2c5;--bad-mark:#f5c3bb;
--warn-bg:#fdf3dc;--quiet:#f3f3f1}
@media (prefers-color-scheme:dark){:root{--bg:#15171a;--card:#1c1f23;--ink:#e4e5e7;--soft:#a2a8b1;--line:#32363c;--grid:#292d32;
--accent:#8ab0ff;--good:#71cf98;--bad:#ff9c8d;--warn:#e8bd66;--good-bg:#173325;--bad-bg:#3d211d;--good-mark:#2a6243;--bad-mark:#743a32;
--warn-bg:#372c14;--quiet:#22262b}}
*{box-sizing:border-box}
html{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink)}
main,header,footer{max-width:66rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.75rem}
p{margin:.4rem 0;max-width:46rem}
h1{font-size:1rem;font-weight:600;margin:0 0 .75rem;letter-spacing:.005em}
h1 .of{color:var(--soft);font-weight:400}
h2{font-size:1.2rem;line-height:1.3;font-weight:650;margin:2.75rem 0 .6rem;letter-spacing:-.01em}
h3{font-size:.95rem;font-weight:650;margin:1.5rem 0 .4rem}
a{color:var(--accent)}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
code{overflow-wrap:anywhere}
.note,.soft{color:var(--soft)}
.note{font-size:.9rem}
.verdict{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--soft);border-radius:6px;padding:1.1rem 1.35rem 1rem}
.verdict.good{border-left-color:var(--good)}.verdict.open{border-left-color:var(--warn)}
.verdict h2{font-size:1.5rem;margin:0 0 .35rem}
.verdict .why{font-size:1.02rem;max-width:52rem}
.stamp{background:var(--warn-bg);border:1px solid var(--warn);border-radius:6px;padding:.55rem 1rem;margin:0 0 .9rem;max-width:none;font-weight:600}
dl.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:.55rem 1.5rem;margin:1rem 0 0;padding-top:.9rem;border-top:1px solid var(--line)}
dl.facts dt{color:var(--soft);font-size:.78rem}
dl.facts dd{margin:0;overflow-wrap:anywhere;font-size:.92rem}
.wide{overflow-x:auto;margin:.5rem 0 1rem;background:linear-gradient(90deg,var(--bg),transparent) 0 0/2rem 100% no-repeat local,linear-gradient(-90deg,var(--bg),transparent) 100% 0/2rem 100% no-repeat local,linear-gradient(90deg,var(--line),transparent) 0 0/.8rem 100% no-repeat scroll,linear-gradient(-90deg,var(--line),transparent) 100% 0/.8rem 100% no-repeat scroll}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:650;padding:0 0 .35rem;font-size:.95rem}
caption .soft{font-weight:400}
th,td{text-align:left;padding:.38rem .75rem .38rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td code,th code{overflow-wrap:normal;white-space:nowrap}
td.text,td.text code{min-width:11rem;white-space:normal;overflow-wrap:anywhere}
thead th{color:var(--soft);font-weight:500;font-size:.8rem;white-space:nowrap}
tbody th{font-weight:500}
th.n,td.n{text-align:right}
td.n,td.mark{white-space:nowrap}
td .range,li .range{display:block;color:var(--soft);font-size:.8rem}td .narrow{display:none}td .narrow.better{color:var(--good)}td .narrow.worse{color:var(--bad)}
.objectives th{white-space:nowrap}.objectives .zero{width:132px;text-align:center;padding-right:.75rem}.objectives td.mark{width:7rem}
@media (min-width:40.01rem){.objectives{table-layout:fixed}.objectives th:first-child{width:7rem}}
tr.self>*{background:var(--quiet)}tr.self>:first-child{box-shadow:-.5rem 0 0 var(--quiet)}
.better{color:var(--good)}.worse{color:var(--bad)}.unclear,.same,.unknown{color:var(--soft)}
.tag{display:inline-block;border:1px solid var(--line);border-radius:3px;padding:0 .35rem;font-size:.78rem;color:var(--soft);background:var(--card)}
.tag.winner{border-color:var(--good);color:var(--good)}.tag.incumbent,.tag.best{border-color:var(--accent);color:var(--accent)}
.charts{display:grid;align-items:start;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.25rem;margin:.75rem 0}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.8rem .9rem .6rem}
figcaption{font-size:.85rem;font-weight:600;margin-bottom:.3rem}
svg{display:block;max-width:100%}
.chart{width:100%;height:auto;font-size:11.5px;fill:var(--ink)}
.chart .grid{stroke:var(--grid)}.chart .tick,.chart .axis-name{fill:var(--soft);font-size:11px}
.chart .front-line{fill:none;stroke:var(--accent);stroke-width:1.4;stroke-dasharray:4 3;opacity:.75}
.cross line{stroke:var(--soft);stroke-width:1;opacity:.55}.cross.dominated line{opacity:.25}.cross.chosen line{stroke:var(--good);opacity:.8;stroke-width:1.4}
.mark.incumbent{fill:var(--card);stroke:var(--ink);stroke-width:2}.mark.chosen{fill:var(--good);stroke:var(--card);stroke-width:1.5}
.mark.front{fill:var(--accent);stroke:var(--card);stroke-width:1}.mark.dominated{fill:var(--soft);opacity:.5}
.label.chosen{fill:var(--good);font-weight:650}.label.incumbent{font-weight:650}
.change-bar{width:120px;height:16px}.change-bar line{stroke:currentColor;stroke-width:1.5}.change-bar circle{fill:currentColor}.change-bar .zero{stroke:var(--soft);stroke-width:1;opacity:.6}
.share-bar{width:160px;height:8px}.share-bar .track{fill:var(--line)}.share-bar .fill{fill:var(--accent)}
nav ul{display:flex;flex-wrap:wrap;gap:.1rem 1rem;list-style:none;margin:0 0 .9rem;padding:0;font-size:.88rem}
.decision{display:inline-block;margin:0 0 .5rem;padding:.1rem .7rem;border:1px solid currentColor;border-radius:99px;font-weight:650;font-size:.9rem;color:var(--soft)}
.verdict.good .decision{color:var(--good)}.verdict.open .decision{color:var(--warn)}
dl.answers{margin:1rem 0 0;padding:.4rem 0 0;border-top:1px solid var(--line)}
dl.answers>div{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:.2rem 1rem;padding:.35rem 0}
dl.answers dt{font-weight:650;font-size:.92rem}dl.answers dd{margin:0;max-width:52rem;overflow-wrap:anywhere}
dl.facts .whole{grid-column:1/-1}.facts .range{display:block;color:var(--soft);font-size:.85rem}
.pairs>figure{margin-top:.6rem}
fieldset.axes,fieldset.brush{border:0;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:.15rem 1rem;font-size:.86rem;align-items:baseline}
fieldset legend{font-size:.8rem;color:var(--soft);padding:0}fieldset.axes label{white-space:nowrap}
@media screen{.pair{display:none}${PAIR_RULES}{display:block}}
.line path{fill:none;stroke:var(--soft);stroke-width:1.1;opacity:.45}.line circle{fill:var(--soft);opacity:.5}
.line.front path{stroke:var(--accent);opacity:.85;stroke-width:1.4}.line.front circle{fill:var(--accent);opacity:1}
.line.incumbent path{stroke:var(--ink);opacity:.9;stroke-width:2;stroke-dasharray:5 3}.line.incumbent circle{fill:var(--ink);opacity:1}
.line.chosen path{stroke:var(--good);opacity:1;stroke-width:2.6}.line.chosen circle{fill:var(--good);opacity:1}
.rail,.notch{stroke:var(--soft);stroke-width:1}.halo{paint-order:stroke;stroke:var(--card);stroke-width:3px}
.hit{fill:transparent;cursor:ns-resize;touch-action:none}.brushed{fill:var(--accent);opacity:.25;pointer-events:none}
.chart .limit{stroke:var(--bad);stroke-dasharray:6 3}.chart .steps{fill:none;stroke:var(--accent);stroke-width:1.8}.chart .steps.other{stroke:var(--soft);stroke-dasharray:5 3}.chart .step-point{fill:var(--accent)}
.tree{max-width:none;width:900px;font-size:12px}.tree .branch{fill:none;stroke:var(--line);stroke-width:1.2}.tree .name{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.node text{fill:var(--ink)}.node circle{fill:var(--soft)}.node.kept circle{fill:var(--accent)}.node.incumbent rect{fill:var(--card);stroke:var(--ink);stroke-width:2}.node.chosen path{fill:var(--good)}.node.retired text{fill:var(--soft)}.node.chosen text{font-weight:650}
.lighting .chart [data-v]:not(.lit):not(.label){opacity:.15}.lighting tr.lit>*{background:var(--quiet)}.lit path{stroke-width:3}
.chart .out{opacity:.08}tr.out{opacity:.45}
button,select,input[type=search]{font:inherit;font-size:.88rem;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:4px;padding:.2rem .55rem}
button:not(:disabled){cursor:pointer}button:disabled{color:var(--soft)}
button.sort,button.hold,button.open{border:0;background:none;padding:0;color:inherit;font:inherit;text-align:inherit;text-decoration:underline dotted;text-underline-offset:3px}
button.hold[aria-pressed=true]{background:var(--warn-bg);outline:1px solid var(--warn)}
th[aria-sort=descending] .sort::after{content:" ▼"}th[aria-sort=ascending] .sort::after{content:" ▲"}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.bar{display:flex;flex-wrap:wrap;gap:.4rem .9rem;align-items:center;font-size:.88rem;margin:.4rem 0}
.matrix td,.matrix th{padding:.22rem .6rem .22rem .35rem}.matrix .m{font-size:.85em}.matrix .none{color:var(--soft)}
.tally{max-width:34rem}
.hid{background:var(--warn-bg);color:var(--warn);border:1px solid var(--warn);border-radius:3px;font-size:.85em;padding:0 .15rem}
${QUALITY_RULES}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;font-size:.85rem;color:var(--soft);margin:.2rem 0 .6rem;padding:0;list-style:none}
.legend svg{display:inline-block;width:14px;height:14px;vertical-align:-2px;margin-right:.35rem}
.doc{border:1px solid var(--line);border-radius:6px;background:var(--card);overflow:hidden}
.part{border-top:1px solid var(--line)}.part:first-child{border-top:0}
.part>.head,.part>summary{padding:.4rem .9rem;font-size:.86rem;display:flex;flex-wrap:wrap;gap:.15rem .7rem;align-items:baseline;background:var(--quiet)}
.part>summary{cursor:pointer}
.part>summary{list-style:none}.part>summary::before,details.case>summary code::before{content:"▸";display:inline-block;width:1em;color:var(--soft);font-family:system-ui,sans-serif}
.part[open]>summary::before,details.case[open]>summary code::before{content:"▾"}
.part>summary::-webkit-details-marker,details.case>summary::-webkit-details-marker{display:none}
.part .count{margin-left:auto;color:var(--soft);font-size:.8rem;white-space:nowrap}
.locked>summary,.locked>.head{background:repeating-linear-gradient(135deg,var(--quiet) 0 7px,transparent 7px 14px)}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5;tab-size:4}
.locked pre{padding:.6rem .9rem;color:var(--soft)}
.diff{padding:.3rem 0}
.diff div{padding:0 .9rem 0 2.1rem;position:relative;min-height:1.5em}
.diff div::before{position:absolute;left:.9rem;color:var(--soft)}
.diff .removed{background:var(--bad-bg)}.diff .added{background:var(--good-bg)}
.diff .removed::before{content:"−"}.diff .added::before{content:"+"}
.diff del{background:var(--bad-mark);text-decoration:none;border-radius:2px}.diff ins{background:var(--good-mark);text-decoration:none;border-radius:2px}
.diff .gap{color:var(--soft);font-family:system-ui,sans-serif;font-size:.8rem;padding-block:.15rem}
details.case{border-bottom:1px solid var(--line)}
details.case>summary{cursor:pointer;padding:.42rem 0;display:grid;grid-template-columns:7rem minmax(0,1fr) auto;gap:0 .9rem;font-variant-numeric:tabular-nums;font-size:.9rem;list-style:none;align-items:baseline}
details.case>summary .glimpse{color:var(--soft);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
details.case>.inside{padding:.1rem 0 1rem .9rem;border-left:2px solid var(--line);margin:0 0 .5rem .2rem}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:.9rem}
.quote{background:var(--quiet);border-radius:4px;padding:.55rem .8rem;max-height:22rem;overflow:auto}
h4{font-size:.8rem;font-weight:500;color:var(--soft);margin:.8rem 0 .25rem}
ul.plain{padding-left:1.1rem;margin:.4rem 0;max-width:50rem}ul.plain li{margin:.3rem 0}
td.text{min-width:14rem;overflow-wrap:anywhere}
details.more>summary{cursor:pointer;color:var(--accent);padding:.3rem 0;font-size:.9rem}
footer{padding-block:2.5rem 2rem;color:var(--soft);font-size:.82rem}
@media (max-width:40rem){html{font-size:14.5px}dl.answers>div{grid-template-columns:1fr}main,header,footer{padding-inline:1rem}.verdict{padding:.9rem 1rem}
details.case>summary{grid-template-columns:minmax(0,1fr) auto}details.case>summary .glimpse{grid-column:1/-1;grid-row:2}
th,td{padding-right:.55rem}th.opt,td.opt,.range.opt,th .opt{display:none}td .narrow{display:block}figure{padding:.6rem .5rem .4rem}h2{margin-top:2.1rem}.chart{font-size:13px}.chart .tick,.chart .axis-name{font-size:12.5px}}
@media print{.objectives{table-layout:auto;font-size:8.5pt}.objectives .range{white-space:nowrap;font-size:7.5pt}:root{--bg:#fff;--quiet:#f6f6f5}html{font-size:10pt}main,header,footer{max-width:none;padding:0}.verdict,figure,.doc,tr,details.case{break-inside:avoid}.part{break-inside:auto}
h2,h3{break-after:avoid}.wide{overflow:visible}nav,.bar,#brush,fieldset.axes{display:none}.charts{grid-template-columns:1fr 1fr}.pairs{display:contents}.quote{max-height:none}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;
