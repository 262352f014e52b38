/*
 * html_style.c - the style sheet. Colours are plain #rrggbb: each pair of text and background has a contrast of 4.5,
 * and bars have 3 (Web Content Accessibility Guidelines 2.1, 1.4.3 and 1.4.11; a test computes them).
 */
#include "supervisor/report/html/html_style.h"

/* All rows have the same height, so that the bars of neighbouring rows touch. */
const char rfs_html_style[] =
	":root{color-scheme:light dark;--back:#ffffff;--text:#111111;--line:#c8c8c8;--dim:#666666;--hot:#bb0000;"
	"--hot-back:#fbe4e4;--link:#0055aa;--card:#f4f4f4}"
	"@media(prefers-color-scheme:dark){:root{--back:#121212;--text:#e8e8e8;--line:#484848;--dim:#aaaaaa;"
	"--hot:#ff9999;--hot-back:#3a1616;--link:#88bbff;--card:#222222}}"
	"body{font:14px/1.4 system-ui,sans-serif;margin:1.5em;background:var(--back);color:var(--text);"
	"overflow-wrap:anywhere}a{color:var(--link)}h1{font-size:1.3em;margin:0 0 .3em}"
	"h2{font-size:1.1em}p,dl{margin:.3em 0 "
	".8em}code,.lane,.at,.what{font-family:ui-monospace,monospace;font-size:12px}"
	"table{border-collapse:collapse;table-layout:fixed;width:100%}td,th{padding:0 "
	".6em;height:22px;white-space:nowrap;"
	"text-align:left;font-weight:normal;overflow:hidden;text-overflow:ellipsis}"
	"col.number{width:4em}col.narrow{width:2.6em}col.at{width:14.5em}col.source{width:33%}"
	"tbody th{color:var(--dim);text-align:right}thead th{position:sticky;top:0;background:var(--back);"
	"font-weight:bold;border-bottom:1px solid var(--line)}.lane{padding:0 0 0 .3em}.what b{color:var(--dim)}"
	".folded{display:none}.fold:has(input:checked)+.folded{display:table-row-group}label{cursor:pointer}"
	"pre{font:12px/1.4 ui-monospace,monospace;white-space:pre-wrap;padding:.6em;border:1px "
	"solid var(--line)}"
	"section{margin-bottom:2em}.card{background:var(--card);border:1px solid var(--line);border-radius:6px;"
	"padding:.2em 1em .6em}.card a,.card code{color:inherit}.cause{font-size:1.1em}.id{color:var(--dim);"
	"font-weight:normal;font-size:.8em}.story{overflow-x:auto;white-space:pre}summary{cursor:pointer}"
	".lane.alive{border-left:1px solid var(--line)}.lane i{display:inline-block;width:6px;height:22px;"
	"margin-right:2px;vertical-align:top}.lane span{line-height:22px;padding-left:.3em}"
	".switch td,.switch th{border-top:1px solid var(--line)}.at{color:var(--dim)}"
	".race td,.race th{background:var(--hot-back)}.race span,.race th,.race .at{color:var(--hot);font-weight:bold}"
	".racing span{color:var(--hot);font-weight:bold;background:var(--hot-back)}"
	".race .at{overflow:visible}iframe{width:100%;height:34em;border:1px solid var(--line)}"
	".gap td{color:var(--dim);text-align:center}.key i{display:inline-block;width:12px;height:12px;margin:0 .3em 0 "
	"1em}"
	".k0{background:#4477aa}.k1{background:#cc6644}.k2{background:#228833}.k3{background:#b84488}"
	".k4{background:#998811}.k5{background:#2b8fb0}.k6{background:#aa5566}.k7{background:#6655cc}"
	/* a telephone: the source line is in the title of its place */
	"@media(max-width:700px){body{margin:.5em}col.source,.source{display:none}col.number{width:3em}"
	"col.at{width:8em}td,th{padding:0 .2em}.race .at{white-space:normal}.card{padding:.2em .5em}}";
