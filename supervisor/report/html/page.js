/*
 * page.js - search, keys and jumps on the page of a run. Without it, the page shows the rows that are in its table:
 * all of a short run, and the first, the last and those at the race of a long one.
 *
 * A browser is slow with a table of 100,000 rows. So only the rows that can be seen are in the document, between two
 * rows of the height of what is left out. They are made from the data that html_data.c writes.
 */
(function () {
"use strict";
const run = JSON.parse(document.getElementById("run").textContent);
const table = document.querySelector("table"), nav = document.querySelector("nav");
const find = nav.querySelector("input"), status = nav.querySelector("output"), select = nav.querySelector("select");
const columns = run.lanes + (run.narrow ? 4 : 3), width = run.slots + 1, cells = run.lanes * width;
const count = run.operations.length / 3; /* each is a thread, a text and a site */
const EXTRA = 20;			 /* rows that are made above and below those that can be seen */

/* The number of each operation in the run; some operations of a very long run are not in the data. */
const number = new Int32Array(count), position = new Map();
const opened = new Set();		 /* the folds that the reader has opened */
let body, items = [], ofItem, height = 22, here = -1, first = -1, last = -1, hits = null;

for (let i = 0, k = 0; i < run.parts.length; i += 2)
	for (let j = 0; j < run.parts[i + 1]; j++)
		number[k++] = run.parts[i] + j;
for (let k = 0; k < count; k++)
	position.set(number[k], k);

const thread = (k) => run.operations[3 * k];
const text = (k) => run.texts[run.operations[3 * k + 1]];
const site = (k) => run.sites[run.operations[3 * k + 2]];

/* What the lanes show at each 256th operation, and which change comes next. */
const STEP = 256, states = [], next = [];
(function () {
	const now = new Uint32Array(cells);
	let c = 0;
	for (let k = 0; k <= count; k++) {
		if (k % STEP === 0) {
			states.push(now.slice());
			next.push(c);
		}
		for (; c < run.changes.length && run.changes[c] === k; c += 3)
			now[run.changes[c + 1]] = run.changes[c + 2];
	}
})();

function state(k) {
	const from = Math.floor(k / STEP), now = states[from].slice();
	for (let c = next[from]; c < run.changes.length && run.changes[c] <= k; c += 3)
		now[run.changes[c + 1]] = run.changes[c + 2];
	return now;
}

/* The rows of the table: an operation, the race, the end, operations that are not in the data, and folds. */
function arrange() {
	let fold = 0;
	items = [];
	ofItem = new Int32Array(count).fill(-1);
	for (let k = 0; k < count; k++) {
		const left = number[k] - (k ? number[k - 1] + 1 : 0);
		if (left)
			items.push({kind: "gap", k: k, n: left});
		if (run.race && number[k] === run.step)
			items.push({kind: "race", k: k});
		while (fold < run.folds.length && run.folds[fold] + run.folds[fold + 1] <= number[k])
			fold += 2;
		if (fold < run.folds.length && number[k] >= run.folds[fold]) {
			if (k === 0 || number[k] === run.folds[fold] || left)
				items.push({kind: "fold", k: k, fold: run.folds[fold], n: run.folds[fold + 1]});
			if (!opened.has(run.folds[fold]))
				continue;
		}
		ofItem[k] = items.length;
		items.push({kind: "op", k: k});
	}
	if (run.race && !items.some((item) => item.kind === "race"))
		items.push({kind: "race", k: count});
	if (run.end)
		items.push({kind: "failure", k: count});
	first = last = -1;
}

function add(parent, name, kind, words) {
	const element = document.createElement(name);
	if (kind)
		element.className = kind;
	if (words !== undefined)
		element.textContent = words;
	parent.appendChild(element);
	return element;
}

function addLanes(row, k, texts) {
	const now = state(k);
	const what = [];
	for (let lane = 0; lane < run.lanes; lane++) {
		const cell = add(row, "td", now[lane * width] ? "lane alive" : "lane");
		for (let i = 1; i < width; i++) {
			const lock = now[lane * width + i];
			const bar = add(cell, "i", lock ? "k" + (lock - 1) % 8 : "");
			if (lock)
				bar.title = "holds " + run.locks[lock - 1];
		}
		const words = texts(lane);
		if (!words)
			continue;
		const span = add(cell, "span", "", run.narrow ? "\u25cf" : words);
		span.title = words;
		what.push([lane, words]);
	}
	if (!run.narrow)
		return;
	const cell = add(row, "td", "what");
	what.forEach(([lane, words], i) => {
		add(cell, "b", "", (i ? "; " : "") + lane);
		cell.append(" ");
		add(cell, "span", "", words).title = words;
	});
}

function addRow(parent, at) {
	const item = items[at], k = item.k;
	const row = add(parent, "tr", at === here ? "here " : "");
	row.dataset.item = at;
	if (item.kind === "gap" || item.kind === "fold") {
		row.className += "gap";
		const cell = add(row, "td");
		cell.colSpan = columns;
		if (item.kind === "gap") {
			cell.textContent = item.n + " operations are not in this page";
			return;
		}
		const button = add(cell, "button", "", item.n + " more operations of thread " + thread(k));
		button.setAttribute("aria-expanded", opened.has(item.fold));
		return;
	}
	if (item.kind !== "op") {
		const special = item.kind === "race" ? run.race : run.end;
		row.id = item.kind;
		row.className += "race switch";
		add(row, "th", "", item.kind === "race" ? "race" : "end").scope = "row";
		addLanes(row, k, (lane) => special.texts[lane]);
		add(row, "td", "at", special.at).title = special.at;
		add(row, "td", "source");
		return;
	}
	row.id = "op" + number[k];
	if (k === 0 || thread(k - 1) !== thread(k))
		row.className += "switch ";
	if (run.racing && run.racing.includes(number[k]))
		row.className += "racing ";
	if (hits && hits(k))
		row.className += "found";
	add(row, "th", "", number[k]).scope = "row";
	addLanes(row, k, (lane) => lane === thread(k) ? text(k) : "");
	const place = site(k);
	add(row, "td", "at", place[0]).title = place[1];
	add(add(row, "td", "source"), "code", "", place[2]);
}

function space(rows) {
	const row = document.createElement("tr"), cell = add(row, "td");
	cell.colSpan = columns;
	cell.style.height = rows * height + "px";
	row.hidden = rows === 0;
	row.setAttribute("aria-hidden", "true");
	return row;
}

/* Makes the rows that can be seen. force: also if they are there. */
function draw(force) {
	const top = -body.getBoundingClientRect().top;
	const seen = Math.max(0, Math.floor(top / height)), fit = Math.ceil(innerHeight / height);
	const from = Math.max(0, Math.min(seen, items.length - fit) - EXTRA);
	const to = Math.min(items.length, seen + fit + EXTRA);
	if (!force && seen - EXTRA / 2 >= first && seen + fit + EXTRA / 2 <= last)
		return;
	if (!force && from === first && to === last)
		return;
	const rows = document.createDocumentFragment();
	rows.append(space(from));
	for (let at = from; at < to; at++)
		addRow(rows, at);
	rows.append(space(items.length - to));
	body.replaceChildren(rows);
	first = from;
	last = to;
}

function tell(words) {
	status.textContent = words;
}

let timer = 0;
function remember(name) {
	clearTimeout(timer);
	timer = setTimeout(() => {
		try {
			history.replaceState(null, "", "#" + name);
		} catch {
			/* a page in a frame may not */
		}
	}, 300);
}

/* Makes the row the current one. It comes into view if it is not. */
function go(at) {
	if (at < 0 || at >= items.length)
		return;
	/* the cells stay in view, not the row */
	const item = items[at], head = table.tHead.rows[0].cells[0].getBoundingClientRect().bottom;
	here = at;
	const y = body.getBoundingClientRect().top + at * height;
	if (y < head || y + 2 * height > innerHeight)
		scrollBy(0, y - (head + innerHeight) / 2);
	draw(true);
	if (item.kind === "op") {
		const words = "#" + number[item.k] + ": thread " + thread(item.k) + ", " + text(item.k);
		tell(site(item.k)[0] ? words + ", " + site(item.k)[0] : words);
		remember("op" + number[item.k]);
	} else if (item.kind === "fold") {
		tell("Press o to show " + item.n + " more operations");
	} else if (item.kind !== "gap") {
		tell((item.kind === "race" ? run.race : run.end).at);
		remember(item.kind);
	}
}

function toggle(fold, open) {
	const at = here >= 0 ? items[here] : null;
	if (open)
		opened.add(fold);
	else
		opened.delete(fold);
	arrange();
	if (at)
		here = items.findIndex((item) => item.kind === at.kind && item.k === at.k);
	draw(true);
}

function goOperation(k) {
	if (ofItem[k] < 0)
		for (let i = 0; i < run.folds.length; i += 2)
			if (number[k] >= run.folds[i] && number[k] < run.folds[i] + run.folds[i + 1])
				toggle(run.folds[i], true);
	go(ofItem[k]);
}

function goKind(kind) {
	const at = items.findIndex((item) => item.kind === kind);
	if (at < 0)
		tell(kind === "race" ? "This run has no race." : "This run did not fail.");
	else
		go(at);
}

/* The current operation, or the one before a row that is none. */
function current() {
	return here < 0 ? -1 : items[here].kind === "op" ? items[here].k : items[here].k - 0.5;
}

/* Goes to the next operation for which `is` is true, forward or back. */
function seek(is, step, words) {
	for (let k = step > 0 ? Math.floor(current()) + 1 : Math.ceil(current()) - 1; k >= 0 && k < count; k += step)
		if (is(k)) {
			goOperation(k);
			return true;
		}
	tell(words);
	return false;
}

/* The numbers of the texts that contain the words. */
function containing(texts, words) {
	const found = new Uint8Array(texts.length);
	texts.forEach((one, i) => {
		found[i] = [].concat(one).some((part) => part.toLowerCase().includes(words)) ? 1 : 0;
	});
	return found;
}

function search() {
	const words = find.value.trim().toLowerCase();
	hits = null;
	if (!words || words[0] === "#") {
		tell("");
		draw(true);
		return;
	}
	const texts = containing(run.texts, words), sites = containing(run.sites, words);
	hits = (k) => texts[run.operations[3 * k + 1]] || sites[run.operations[3 * k + 2]];
	let n = 0;
	for (let k = 0; k < count; k++)
		n += hits(k) ? 1 : 0;
	tell(n === 1 ? "1 operation" : n + " operations");
	draw(true);
}

function found(step) {
	const words = find.value.trim();
	if (words[0] === "#") {
		const k = position.get(Number(words.slice(1)));
		if (k === undefined)
			tell("There is no operation " + words.slice(1) + ".");
		else
			goOperation(k);
	} else if (hits) {
		seek(hits, step, step > 0 ? "No more below." : "No more above.");
	}
}

function goThread(wanted) {
	seek((k) => thread(k) === wanted, 1, "Thread " + wanted + " has no more operations.");
}

const same = (k) => here < 0 || items[here].k >= count || thread(k) === thread(items[here].k);
const switched = (k) => k === 0 || thread(k) !== thread(k - 1);
const keys = {
	j: () => go(here + 1), ArrowDown: () => go(here + 1),
	k: () => go(Math.max(0, here - 1)), ArrowUp: () => go(Math.max(0, here - 1)),
	t: () => seek(same, 1, "The thread has no more operations."),
	T: () => seek(same, -1, "The thread has no earlier operations."),
	s: () => seek(switched, 1, "No more switches."), S: () => seek(switched, -1, "No earlier switches."),
	r: () => goKind("race"), f: () => goKind("failure"),
	n: () => found(1), N: () => found(-1),
	Home: () => go(0), End: () => go(items.length - 1),
	o: () => {
		if (here >= 0 && items[here].kind === "fold")
			toggle(items[here].fold, !opened.has(items[here].fold));
	},
	"/": () => find.focus(),
};

addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (event.target === find) {
		if (event.key === "Enter")
			found(event.shiftKey ? -1 : 1);
		else if (event.key === "Escape")
			find.blur();
		return;
	}
	if (event.target === select || !(event.key in keys) && !/^[0-9]$/.test(event.key))
		return;
	event.preventDefault();
	if (event.key in keys)
		keys[event.key]();
	else
		goThread(Number(event.key));
});

/* A link to a row: "#race", "#failure", "#op12". False: it is no such link. */
function follow(hash) {
	if (hash === "#race" || hash === "#failure") {
		goKind(hash.slice(1));
	} else {
		const k = /^#op[0-9]+$/.test(hash) ? position.get(Number(hash.slice(3))) : undefined;
		if (k === undefined)
			return false;
		goOperation(k);
	}
	return true;
}

document.addEventListener("click", (event) => {
	const link = event.target.closest("a[href^='#']"), row = event.target.closest("tr[data-item]");
	if (link && follow(link.getAttribute("href"))) {
		event.preventDefault();
	} else if (row && items[row.dataset.item].kind === "fold") {
		const fold = items[row.dataset.item].fold;
		toggle(fold, !opened.has(fold));
	} else if (row) {
		go(Number(row.dataset.item));
	}
});
nav.addEventListener("click", (event) => {
	const key = event.target.dataset.key;
	if (key)
		keys[key]();
});
find.addEventListener("input", search);
select.addEventListener("change", () => {
	if (select.value)
		goThread(Number(select.value));
	select.value = "";
});
for (let lane = 0; lane < run.lanes; lane++)
	add(select, "option", "", "thread " + lane).value = lane;
for (const [kind, there] of [["r", run.race], ["f", run.end]])
	nav.querySelector("[data-key=" + kind + "]").disabled = !there;

function measure() {
	document.documentElement.style.setProperty("--nav", nav.offsetHeight + "px");
	const row = body.querySelector("tr[data-item]");
	const real = row ? row.getBoundingClientRect().height : height;
	if (real > 0 && Math.abs(real - height) > 0.01) {
		height = real;
		draw(true);
	} else {
		draw(false);
	}
}

nav.hidden = false;
table.classList.add("js");
while (table.tBodies.length)
	table.tBodies[0].remove();
body = table.createTBody();
arrange();
draw(true);
measure();
addEventListener("scroll", () => draw(false), {passive: true});
addEventListener("resize", measure);
addEventListener("hashchange", () => follow(location.hash));
if (!follow(location.hash))
	here = -1;
})();
