/**
 * The part of the page's script that makes pages of the matrix, opens cases, and reads the file beside the page when a reader
 * picks it. Constant text; see page-script.ts for what holds for all of it.
 */
export const MATRIX_SCRIPT = `
var host = document.getElementById("matrix");
if (host && data.matrix.rows.length > 0) {
	var DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", PAGE = 25, WIDTH = 8;
	var columns = data.matrix.columns, after = data.matrix.after, rows = data.matrix.rows, side = null;
	var cellsOf = function (packed) {
		var cells = [];
		for (var at = 0; at < packed.length;) {
			if (packed[at] === ".") { cells.push(null); at += 1; continue; }
			var quality = DIGITS.indexOf(packed[at]) * 64 + DIGITS.indexOf(packed[at + 1]);
			cells.push({ quality: quality === 4095 ? null : quality / 1000, retries: DIGITS.indexOf(packed[at + 2]) / 10, errors: DIGITS.indexOf(packed[at + 3]) });
			at += 4;
		}
		return cells;
	};
	var changeOf = function (cells) {
		var a = cells[0], b = after < 0 ? null : cells[after];
		return !a || !b || a.quality === null || b.quality === null ? null : b.quality - a.quality;
	};
	var entries = rows.map(function (row, index) {
		var cells = cellsOf(row[3]), change = changeOf(cells);
		return { index: index, id: row[0], split: row[1], glimpse: row[2], packed: row[3], change: change,
			errors: cells.some(function (cell) { return cell && cell.errors > 0; }), retries: cells.some(function (cell) { return cell && cell.retries > 0; }) };
	});
	var bar = make("div", { class: "bar" });
	var control = function (words, element) { var label = make("label", {}, words + " "); label.append(element); bar.append(label); return element; };
	var select = function (words, options) {
		var element = make("select", {});
		options.forEach(function (option) { element.append(make("option", { value: option[0] }, option[1])); });
		control(words, element).addEventListener("change", restart);
		return element;
	};
	var find = control("Find", make("input", { type: "search", placeholder: "case or words" }));
	find.addEventListener("input", restart);
	var split = select("Split", [["", "all"], ["validation", "validation"], ["sealed", "sealed"], ["train", "train"]]);
	var show = select("Show", [["", "all cases"], ["better", "wins"], ["worse", "losses"], ["errors", "with errors"], ["retries", "with retries"]]);
	var order = select("Order", [["change", "greatest change"], ["gain", "wins first"], ["loss", "losses first"], ["id", "case id"]]);
	var status = make("p", { class: "note", role: "status" });
	var pager = make("div", { class: "bar" });
	var button = function (words, act) { var made = make("button", { type: "button" }, words); made.addEventListener("click", act); pager.append(made); return made; };
	var page = 0, from = 0, found = entries;
	var previous = button("← earlier cases", function () { page -= 1; draw(); });
	var next = button("later cases →", function () { page += 1; draw(); });
	var left = button("← variants", function () { from -= WIDTH - 2; draw(); });
	var right = button("variants →", function () { from += WIDTH - 2; draw(); });
	var wide = make("div", { class: "wide", role: "region", "aria-label": "Case by variant", tabindex: "0" });
	host.replaceChildren(bar, wide, pager, status);
	function restart() {
		var words = find.value.toLowerCase(), wanted = split.value, kind = show.value, by = order.value;
		found = entries.filter(function (entry) {
			if (wanted !== "" && entry.split !== wanted) return false;
			if (words !== "" && (entry.id + " " + entry.glimpse).toLowerCase().indexOf(words) < 0) return false;
			return kind === "" || (kind === "better" && entry.change > 1e-9) || (kind === "worse" && entry.change !== null && entry.change < -1e-9) || (kind === "errors" && entry.errors) || (kind === "retries" && entry.retries);
		});
		if (by === "gain" || by === "loss") {
			var sign = by === "gain" ? 1 : -1;
			found = found.slice().sort(function (a, b) { return sign * ((b.change === null ? -2 * sign : b.change) - (a.change === null ? -2 * sign : a.change)) || a.index - b.index; });
		} else if (by === "id") found = found.slice().sort(function (a, b) { return a.id === b.id ? 0 : a.id > b.id ? 1 : -1; });
		page = 0;
		draw();
	}
	function draw() {
		var pages = Math.max(1, Math.ceil(found.length / PAGE));
		page = Math.min(Math.max(0, page), pages - 1);
		var fixed = after > 0 ? [0, after] : [0], others = columns.map(function (_, index) { return index; }).filter(function (index) { return fixed.indexOf(index) < 0; });
		from = Math.min(Math.max(0, from), Math.max(0, others.length - (WIDTH - fixed.length)));
		var shown = fixed.concat(others.slice(from, from + WIDTH - fixed.length));
		var table = make("table", { class: "matrix" }), head = table.createTHead().insertRow(), body = table.createTBody();
		["case", "split"].concat(shown.map(function (index) { return columns[index]; })).forEach(function (name, at) {
			head.append(make("th", { scope: "col", class: at > 1 ? "n" : "" }, name));
		});
		found.slice(page * PAGE, (page + 1) * PAGE).forEach(function (entry) {
			var row = body.insertRow(), name = make("th", { scope: "row" }), open = make("button", { type: "button", class: "open" });
			open.append(make("code", {}, entry.id));
			open.addEventListener("click", function () { openCase(entry); });
			name.append(open);
			row.append(name, make("td", {}, entry.split));
			var cells = cellsOf(entry.packed);
			shown.forEach(function (index) {
				var cell = cells[index];
				if (!cell) { row.append(make("td", {})); return; }
				var td = make("td", { class: "n " + (cell.quality === null ? "none" : "q" + Math.round(cell.quality * 10)) }, cell.quality === null ? "–" : cell.quality.toFixed(3));
				var said = [cell.retries > 0 ? "↻" + cell.retries : "", cell.errors > 0 ? "!" + cell.errors : ""].filter(Boolean).join(" ");
				if (said !== "") td.append(" ", make("span", { class: "m" }, said));
				row.append(td);
			});
		});
		wide.replaceChildren(table);
		previous.disabled = page === 0;
		next.disabled = page >= pages - 1;
		left.hidden = right.hidden = others.length <= WIDTH - fixed.length;
		left.disabled = from === 0;
		right.disabled = from >= others.length - (WIDTH - fixed.length);
		status.textContent = found.length + " of " + entries.length + " cases, page " + (page + 1) + " of " + pages + "; " + shown.length + " of " + columns.length + " variants";
	}
	function openCase(entry) {
		var inside = document.getElementById("case-" + entry.index);
		if (!inside) inside = buildCase(entry);
		for (var parent = inside.parentElement; parent; parent = parent.parentElement) if (parent.tagName === "DETAILS") parent.open = true;
		var summary = inside.parentElement.querySelector("summary");
		summary.scrollIntoView({ block: "start" });
		summary.focus({ preventScroll: true });
	}
	/** A case whose details are not in the page: its figures, and what the file beside the page says, once it has been picked. */
	function buildCase(entry) {
		var box = make("details", { class: "case" }), summary = make("summary", {}), inside = make("div", { class: "inside", id: "case-" + entry.index });
		summary.append(make("code", {}, entry.id), make("span", { class: "glimpse" }, entry.glimpse), make("span", {}, entry.change === null ? "" : (entry.change > 0 ? "+" : entry.change < 0 ? "−" : "") + Math.abs(entry.change).toFixed(3)));
		box.append(summary, inside);
		var stored = side === null ? null : side.get(entry.id);
		if (!stored) inside.append(make("p", { class: "note" }, side === null ? "Its input and outputs are in the file beside this page: pick it below the cases." : "The file that was picked holds nothing of it."));
		else {
			var record = JSON.parse(stored), name = columns[after] || "compared text";
			inside.append(make("h4", {}, "Input"), make("pre", { class: "quote", tabindex: "0" }, shownText(record.input)));
			var list = make("ul", { class: "plain" });
			record.checks.forEach(function (check) {
				var item = make("li", {}, shownText(check.label + (check.contract ? " (contract)" : "") + ": v0 " + scoreText(check.before) + ", " + name + " " + scoreText(check.after)));
				[["v0", check.evidence && check.evidence.before], [name, check.evidence && check.evidence.after]].forEach(function (pair) {
					if (pair[1]) item.append(make("span", { class: "range" }, shownText(pair[0] + (pair[1].by === "judge" ? ", the judge: “" + pair[1].text + "”" : ": " + pair[1].text))));
				});
				list.append(item);
			});
			inside.append(list);
			var sides = make("div", { class: "sides" });
			[["v0", record.before], [name, record.after]].forEach(function (pair) {
				var column = make("div", {});
				column.append(make("h4", {}, pair[0]));
				pair[1].forEach(function (text) { column.append(make("pre", { class: "quote", tabindex: "0" }, shownText(text))); });
				sides.append(column);
			});
			inside.append(sides);
		}
		host.after(box);
		return inside;
	}
	function scoreText(score) {
		return typeof score === "number" ? String(Math.round(score * 1000) / 1000) : "–";
	}
	/** What no screen shows is written out, as in the rest of the page. */
	function shownText(text) {
		return String(text).replace(/[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]/gu, function (mark) {
			return mark === "\\n" || mark === "\\t" ? mark : "\\\\u{" + mark.codePointAt(0).toString(16).toUpperCase() + "}";
		});
	}
	var beside = document.getElementById("sidecar");
	if (beside && beside.querySelector("a")) {
		var label = make("label", {}, "Pick that file to read all cases here: "), pick = make("input", { type: "file", accept: ".jsonl" }), told = make("p", { class: "note", role: "status" });
		label.append(pick);
		beside.append(label, told);
		pick.addEventListener("change", function () {
			if (!pick.files[0]) return;
			pick.files[0].text().then(function (text) {
				side = new Map();
				text.split("\\n").forEach(function (line) {
					var name = /^\\{"case":("(?:[^"\\\\]|\\\\.)*")/.exec(line);
					if (name) side.set(JSON.parse(name[1]), line);
				});
				told.textContent = side.size + " cases read; open one in the table above.";
			});
		});
	}
	restart();
}
`;
