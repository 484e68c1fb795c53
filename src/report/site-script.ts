/**
 * The script of the site: keeps the page of a run that is under way up to date, and keeps a note that was not sent yet. Constant
 * text that the site's policy names by its hash; all text enters the page as text nodes.
 */
export const SITE_SCRIPT = `(function () {
"use strict";
var live = document.getElementById("live");
if (live && window.EventSource) {
	var source = new EventSource(live.getAttribute("data-events"));
	source.addEventListener("state", function (event) {
		var state = JSON.parse(event.data);
		Object.keys(state).forEach(function (key) {
			var place = live.querySelector("[data-live='" + key + "']");
			if (!place) return;
			if (place.tagName === "PROGRESS") place.value = Number(state[key]) || 0;
			else place.textContent = state[key] === null ? "–" : String(state[key]);
		});
	});
	source.addEventListener("ended", function () {
		source.close();
		location.reload();
	});
}
var draft = document.querySelector("textarea[data-draft]");
if (draft) {
	var key = "gepa draft " + draft.getAttribute("data-draft");
	try {
		if (draft.value === "") draft.value = localStorage.getItem(key) || "";
		draft.addEventListener("input", function () { localStorage.setItem(key, draft.value); });
		draft.form.addEventListener("submit", function () { localStorage.removeItem(key); });
	} catch (error) { /* a browser that keeps nothing */ }
}
})();
`;
