/*
 * page_walk.js - what a reader does on the page of a long run. page_test.c appends it to the page, and reads what it
 * writes into the document: "walk: right", or the first step that was wrong.
 */
(function () {
"use strict";
const output = document.querySelector("nav output"), find = document.querySelector("nav input");
const seen = (row) => row && row.getBoundingClientRect().top >= 0 && row.getBoundingClientRect().bottom <= innerHeight;
const press = (key, target) =>
	(target || document.body).dispatchEvent(new KeyboardEvent("keydown", {key: key, bubbles: true}));
const here = () => document.querySelector("tr.here");
let wrong = "";

function check(step, right) {
	if (!right && !wrong)
		wrong = step + ": " + (here() ? here().id : "no row") + ", '" + output.textContent + "'";
}

/* After the keys, the row is the current one, and in view. */
function walk(keys, id) {
	for (const key of keys.split(" "))
		press(key);
	check("keys " + keys, here() && here().id.match("^" + id + "$") && seen(here()));
}

const total = Number(document.body.textContent.match(/, ([0-9]+) operations/)[1]);
check("rows", document.querySelectorAll("tr").length < 300 && total > 80000);
walk("j", "op0");
walk("j j k", "op1");
walk("r", "race");
check("the race", output.textContent.includes("is parked at"));
walk("f", "failure");
walk("k", "op" + (total - 1));
walk("Home j", "op1");
walk("ArrowDown ArrowUp", "op1");
press("3");
check("thread 3", output.textContent.includes(": thread 3, "));
const third = here().id;
walk("t T", third);
press("s");
check("a switch", !output.textContent.includes(": thread 3, "));
find.value = "read ready";
find.dispatchEvent(new Event("input"));
check("search", output.textContent === "8 operations");
walk("Home", "op0");
press("Enter", find);
check("the first one found", output.textContent.includes(", read ready = 0, ") && seen(here()));
const found = here().id;
press("n");
check("the second one found", output.textContent.includes(", read ready = ") && here().id !== found);
walk("N", found);
press("N");
check("none above", output.textContent === "No more above.");
find.value = "#44321";
press("Enter", find);
check("a number", here().id === "op44321" && seen(here()));
check("width", document.documentElement.scrollWidth <= innerWidth);
check("heights", new Set(Array.from(document.querySelectorAll("tr[data-item]"),
				    (row) => row.getBoundingClientRect().height)).size === 1);
const mark = document.createElement("p");
mark.textContent = "walk: " + (wrong || "right");
document.body.append(mark);
})();
