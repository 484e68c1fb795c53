/**
 * The script of the page: constant text that the page's policy names by its hash. It sorts, filters, pages and lights up what is
 * there already; without it everything can be read all the same.
 *
 * Invariant: text enters the page as text nodes alone, and nothing is asked of any other place.
 */
import { MATRIX_SCRIPT } from "./page-script-matrix.ts";

/** Lights up everything that belongs to one variant, wherever it stands; a button in the table holds the light. */
const LIGHT = `
var marks = new Map();
document.querySelectorAll("[data-v]").forEach(function (mark) {
	var id = mark.getAttribute("data-v");
	if (!marks.has(id)) marks.set(id, []);
	marks.get(id).push(mark);
});
var lit = null, held = null;
function light(id) {
	if (id === lit) return;
	(marks.get(lit) || []).forEach(function (mark) { mark.classList.remove("lit"); });
	lit = id;
	(marks.get(lit) || []).forEach(function (mark) { mark.classList.add("lit"); });
	document.body.classList.toggle("lighting", marks.has(lit));
}
document.addEventListener("pointerover", function (event) {
	var mark = event.target.closest ? event.target.closest("[data-v]") : null;
	light(mark ? mark.getAttribute("data-v") : held);
});
document.querySelectorAll("#variants tbody tr").forEach(function (row) {
	var code = row.querySelector("th code");
	var button = make("button", { type: "button", class: "hold", "aria-pressed": "false", title: "Show this variant in all charts" });
	code.replaceWith(button);
	button.append(code);
	button.addEventListener("click", function () {
		held = held === row.getAttribute("data-v") ? null : row.getAttribute("data-v");
		document.querySelectorAll("button.hold").forEach(function (other) {
			other.setAttribute("aria-pressed", String(other.closest("tr").getAttribute("data-v") === held));
		});
		light(held);
	});
});
`;

/** Columns of a table are sorted by buttons in its head. */
const SORT = `
document.querySelectorAll("table.sortable").forEach(function (table) {
	var body = table.tBodies[0];
	Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
		var button = make("button", { type: "button", class: "sort" });
		while (head.firstChild) button.append(head.firstChild);
		head.append(button);
		button.addEventListener("click", function () {
			var down = head.getAttribute("aria-sort") !== "descending";
			Array.from(table.tHead.rows[0].cells).forEach(function (other) { other.removeAttribute("aria-sort"); });
			head.setAttribute("aria-sort", down ? "descending" : "ascending");
			var key = function (row) {
				var cell = row.cells[column], text = cell.getAttribute("data-sort");
				if (text === null) text = cell.textContent.trim();
				return text === "" || isNaN(Number(text)) ? text : Number(text);
			};
			Array.from(body.rows).map(function (row) { return [key(row), row]; }).sort(function (a, b) {
				var order = typeof a[0] === "number" && typeof b[0] === "number" ? a[0] - b[0] : String(a[0]) > String(b[0]) ? 1 : String(a[0]) === String(b[0]) ? 0 : -1;
				return down ? -order : order;
			}).forEach(function (entry) { body.append(entry[1]); });
		});
	});
});
`;

/** Stretches of the upright axes that a variant must lie in: drawn with the pointer, or set with two sliders an axis. */
const BRUSH = `
var chart = document.querySelector("svg.parallel"), place = document.getElementById("brush");
if (chart && place) {
	var axes = Array.from(chart.querySelectorAll("g.axis")), top0 = 34, foot = 278;
	var lines = Array.from(chart.querySelectorAll("g.line"));
	var box = make("details", { class: "more" }), said = make("p", { class: "note", role: "status" });
	box.append(make("summary", {}, "Filter by objective (or draw along an axis)"));
	place.append(box, said);
	var valueAt = function (axis, share) {
		var a = Number(axis.getAttribute("data-foot")), b = Number(axis.getAttribute("data-top"));
		var value = a + (b - a) * share;
		return Math.abs(value) < 10 ? value.toFixed(2) : Math.round(value).toString();
	};
	var brushes = axes.map(function (axis, index) {
		var name = axis.getAttribute("data-name"), set = make("fieldset", { class: "brush" });
		set.append(make("legend", {}, name));
		var x = Number(axis.querySelector(".rail").getAttribute("x1"));
		var rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
		[["class", "brushed"], ["x", x - 6], ["width", 12], ["y", top0], ["height", 0]].forEach(function (pair) { rect.setAttribute(pair[0], pair[1]); });
		axis.append(rect);
		var hit = document.createElementNS("http://www.w3.org/2000/svg", "rect");
		[["class", "hit"], ["x", x - 14], ["width", 28], ["y", top0], ["height", foot - top0]].forEach(function (pair) { hit.setAttribute(pair[0], pair[1]); });
		axis.append(hit);
		var slider = function (words, value) {
			var label = make("label", {}, words + " "), input = make("input", { type: "range", min: "0", max: "100", value: String(value), "aria-label": name + ", " + words });
			var shown = make("output", {});
			label.append(input, shown);
			set.append(label);
			input.addEventListener("input", apply);
			return { input: input, shown: shown };
		};
		var brush = { axis: axis, rect: rect, worst: slider("from the worse end", 0), best: slider("to the better end", 100) };
		box.append(set);
		var begin = null;
		var shareOf = function (event) {
			var point = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
			return Math.min(1, Math.max(0, (foot - point.y) / (foot - top0)));
		};
		hit.addEventListener("pointerdown", function (event) { begin = shareOf(event); hit.setPointerCapture(event.pointerId); });
		hit.addEventListener("pointermove", function (event) {
			if (begin === null) return;
			var now = shareOf(event);
			brush.worst.input.value = String(Math.round(Math.min(begin, now) * 100));
			brush.best.input.value = String(Math.round(Math.max(begin, now) * 100));
			apply();
		});
		hit.addEventListener("pointerup", function (event) {
			if (begin !== null && Math.abs(shareOf(event) - begin) < 0.01) { brush.worst.input.value = "0"; brush.best.input.value = "100"; apply(); }
			begin = null;
		});
		return brush;
	});
	var reset = make("button", { type: "button" }, "Show all");
	reset.addEventListener("click", function () {
		brushes.forEach(function (brush) { brush.worst.input.value = "0"; brush.best.input.value = "100"; });
		apply();
	});
	box.append(reset);
	function apply() {
		var active = brushes.map(function (brush) {
			var a = Number(brush.worst.input.value), b = Number(brush.best.input.value), from = Math.min(a, b) / 100, to = Math.max(a, b) / 100;
			brush.worst.shown.textContent = valueAt(brush.axis, a / 100);
			brush.best.shown.textContent = valueAt(brush.axis, b / 100);
			var whole = from === 0 && to === 1;
			brush.rect.setAttribute("y", String(foot - to * (foot - top0)));
			brush.rect.setAttribute("height", whole ? "0" : String(Math.max(2, (to - from) * (foot - top0))));
			return whole ? null : [foot - to * (foot - top0) - 0.6, foot - from * (foot - top0) + 0.6];
		});
		var kept = 0;
		lines.forEach(function (line) {
			var points = line.querySelectorAll("circle");
			var inside = active.every(function (range, index) {
				if (range === null) return true;
				var y = Number(points[index].getAttribute("cy"));
				return y >= range[0] && y <= range[1];
			});
			if (inside) kept += 1;
			(marks.get(line.getAttribute("data-v")) || []).forEach(function (mark) { mark.classList.toggle("out", !inside); });
		});
		said.textContent = active.every(function (range) { return range === null; }) ? "" : kept + " of " + lines.length + " variants lie within.";
	}
	apply();
}
`;

export const PAGE_SCRIPT = `(function () {
"use strict";
function make(name, attributes, text) {
	var element = document.createElement(name);
	Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
	if (text !== undefined) element.textContent = text;
	return element;
}
var data = JSON.parse(document.getElementById("data").textContent);
${LIGHT}${SORT}${BRUSH}${MATRIX_SCRIPT}})();
`;
