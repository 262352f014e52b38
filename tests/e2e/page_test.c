/*
 * page_test.c - rfsup --replay RECORD --html PAGE: what the page shows, that it is one file with correct escapes, and
 * what happens if it cannot be written. With make check-full, also how a browser draws it.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(page, .timeout = 300);

/*
 * The record of a finding, and the page made from it. The program is a copy of a target, in a folder of a given name.
 */
struct drawn {
	struct e2e e2e;
	char *record, *page, *text; /* text: contents of the page, or NULL if there is no page */
};

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
	char command[4 * PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
}

static void draw(struct drawn *d, const char *page)
{
	char *name = strdup(page);

	free(d->page);
	free(d->text);
	d->page = name;
	e2e_say(&d->e2e, WORDS("--replay", d->record, "--html", name));
	d->text = e2e_text(name);
}

static void begin(struct drawn *d, const char *target, const char *folder, const char *kind)
{
	char program[PATH_MAX], page[PATH_MAX], *original = e2e_target("O2g", target);
	json_t *finding = NULL;

	*d = (struct drawn){0};
	e2e_begin(&d->e2e);
	snprintf(program, sizeof(program), "%s/%s", d->e2e.folder, folder);
	run("mkdir -p '%s' && cp '%s' '%s/prog'", program, original, program);
	snprintf(program, sizeof(program), "%s/%s/prog", d->e2e.folder, folder);
	e2e_run(&d->e2e, WORDS("--explore=40", "--runs=20", program));
	for (size_t i = 0; i < e2e_count(&d->e2e, kind) && !finding; i++)
		if (json_object_get(e2e_item(&d->e2e, kind, i), "record"))
			finding = e2e_item(&d->e2e, kind, i);
	cr_assert_not_null(finding, "no %s\n%s", kind, d->e2e.said.out);
	d->record = e2e_record(&d->e2e, finding);
	snprintf(page, sizeof(page), "%s/page.html", d->e2e.folder);
	draw(d, page);
	free(original);
}

static void end(struct drawn *d)
{
	free(d->record);
	free(d->page);
	free(d->text);
	e2e_end(&d->e2e);
}

static void expect(struct drawn *d, const char *text, bool wanted)
{
	bool there = d->text && strstr(d->text, text);

	e2e_expect(&d->e2e, there == wanted, "'%s' is %s the page:\n%s", text, there ? "in" : "not in",
		   d->text ? d->text : "(none)");
}

static size_t count(const struct drawn *d, const char *text)
{
	size_t n = 0;

	for (const char *p = d->text; p && (p = strstr(p, text)); p++)
		n++;
	return n;
}

/* The events of this phase and kind. */
static size_t events(json_t *trace, const char *phase, const char *kind)
{
	size_t i, n = 0;
	json_t *event;

	json_array_foreach(json_object_get(trace, "traceEvents"), i, event) n +=
		strcmp(json_string_value(json_object_get(event, "ph")), phase) == 0 &&
		strcmp(json_string_value(json_object_get(event, "cat")), kind) == 0;
	return n;
}

/* Perfetto needs: a name for each thread, both ends of each arrow and of each held lock, and operations in order. */
static void check_timeline(struct drawn *d)
{
	static const struct {
		const char *phase, *kind;
		size_t n;
	} cases[] = {{"X", "operation", 13}, {"M", "", 4},	 {"b", "lock", 2}, {"e", "lock", 2},
		     {"s", "switch", 4},     {"f", "switch", 4}, {"i", "race", 1}, {"i", "end", 1}};
	char path[PATH_MAX];
	json_t *trace;

	snprintf(path, sizeof(path), "%s/timeline.json", d->e2e.folder);
	e2e_say(&d->e2e, WORDS("--replay", d->record, "--trace", path));
	e2e_expect_status(&d->e2e, 1);
	trace = json_load_file(path, 0, NULL);
	cr_assert_not_null(trace);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		e2e_expect(&d->e2e, events(trace, cases[i].phase, cases[i].kind) == cases[i].n,
			   "%zu events %s of kind '%s'", events(trace, cases[i].phase, cases[i].kind), cases[i].phase,
			   cases[i].kind);
	json_decref(trace);
	e2e_say(&d->e2e, WORDS("--replay", d->record, "--trace", "/nonexistent/x"));
	e2e_expect_status(&d->e2e, 2);
	e2e_expect(&d->e2e, strstr(d->e2e.said.err, "--trace: cannot write '/nonexistent/x'"), "%s", d->e2e.said.err);
}

Test(page, shows_a_race)
{
	struct drawn d;

	begin(&d, "figure1", "x", "pairs");
	e2e_expect_status(&d.e2e, 1);
	expect(&d, "<h1>A race on z: signal (SIGABRT)</h1>", true);
	expect(&d, "targets/figure1.c:38 writes z, and thread1 at ", true);
	expect(&d, "<th scope=\"col\">thread 2</th>", true);
	expect(&d, ">is about to write, figure1.c:38</span>", true);
	expect(&d, ">is about to read, figure1.c:24</span>", true);
	/* each statement of the race is marked once, where it was executed, with its source */
	e2e_expect(&d.e2e, count(&d, " racing\"") == 2, "%zu rows are marked", count(&d, " racing\""));
	expect(&d, ">write z = 1</span>", true);
	expect(&d, "<code>z = 1; /* RACE: z-write */</code>", true);
	/* every row between the lock and the unlock has a bar */
	expect(&d, "<i class=\"k0\" title=\"holds L\"></i><span title=\"lock L\">lock L</span>", true);
	expect(&d, "<i class=\"k0\" title=\"holds L\"></i><span title=\"unlock L\">unlock L</span>", true);
	/* what the program wrote */
	expect(&d, "<pre>FAIL: ERROR1\n</pre>", true);
	expect(&d, "<p><b>this run again</b> <code>rfsup --replay ", true);
	/* how it ended, in the lane of the thread */
	expect(&d, "<tr id=\"failure\" class=\"race switch\"><th scope=\"row\">end</th>", true);
	expect(&d, "<td class=\"at\">the run ended here: signal (SIGABRT)</td>", true);
	expect(&d, "Thread 1, where the signal arrived", true);
	/* the page is one file: nothing else is fetched, and its own script and data are all that it executes */
	e2e_expect(&d.e2e, count(&d, "<script") == 2, "%zu scripts", count(&d, "<script"));
	expect(&d, "src=", false);
	expect(&d, "http", false);
	expect(&d, "@import", false);
	check_timeline(&d);
	end(&d);
}

/* A campaign writes a page for each finding, and an index with links to them. */
Test(page, is_there_after_each_campaign)
{
	char path[PATH_MAX];
	struct drawn d;
	json_t *shown;
	char *text;

	begin(&d, "figure1", "x", "pairs");
	shown = json_object_get(e2e_item(&d.e2e, "pairs", 0), "page");
	e2e_expect(&d.e2e, json_is_string(shown), "no page");
	if (json_is_string(shown)) {
		text = e2e_text(json_string_value(shown));
		e2e_expect(&d.e2e, text && strstr(text, "<h1>HARMFUL race on z: signal (SIGABRT)</h1>"), "%s",
			   text ? text : "no file");
		e2e_expect(&d.e2e, text && strstr(text, "if the write goes first, the program fails: SIGABRT.</p>"),
			   "%s", text ? text : "no file");
		/* the run that the page shows is in a record of its own */
		e2e_expect(&d.e2e, text && strstr(text, "-simple.json</code>, and with a debugger <code>rfsup "), "%s",
			   text ? text : "no file");
		/* the simplified run comes first */
		e2e_expect(&d.e2e, text && strstr(text, "\">The run as it was recorded</a>"), "%s",
			   text ? text : "no file");
		free(text);
	}
	snprintf(path, sizeof(path), "%s/out/index.html", d.e2e.folder);
	text = e2e_text(path);
	e2e_expect(&d.e2e, text && strstr(text, "<h1>1 finding</h1>"), "%s", text ? text : "no index");
	e2e_expect(&d.e2e, text && strstr(text, "<a href=\"pages/pair-1-seed-"), "%s", text ? text : "no file");
	e2e_expect(&d.e2e, text && strstr(text, "<h2>HARMFUL race on z <span"), "%s", text ? text : "no file");
	e2e_expect(&d.e2e, text && strstr(text, ".json --gdb</code> in the debugger"), "%s", text ? text : "no file");
	e2e_expect(&d.e2e, text && strstr(text, "<a href=\"unconfirmed.txt\">"), "%s", text ? text : "no file");
	e2e_expect(&d.e2e, text && !strstr(text, "<script"), "%s", text ? text : "no file");
	free(text);
	end(&d);
}

/* Objects have the names that the source gives them, and many operations of one thread in a row are folded. */
Test(page, names_objects_and_folds_long_runs)
{
	struct drawn d = {0};
	char *program, page[PATH_MAX];

	e2e_begin(&d.e2e);
	program = e2e_program(&d.e2e, "queue.c", "-O1 -g");
	/* a run in which all threads have begun: then lanes are narrow */
	e2e_run(&d.e2e, WORDS("--policy=random", "--runs=60", program));
	if (e2e_expect_status(&d.e2e, 1) && e2e_count(&d.e2e, "failures")) {
		d.record = e2e_record(&d.e2e, e2e_item(&d.e2e, "failures", 0));
		snprintf(page, sizeof(page), "%s/page.html", d.e2e.folder);
		draw(&d, page);
		expect(&d, "<b>0</b> <span title=\"lock q-&gt;lock\">", true);
		expect(&d, "more operations of thread 0</label>", true);
		expect(&d, "heap+0x", false);
		expect(&d, "mapped-0x", false);
		expect(&d, "the queue is &lt;empty&gt;\n", true);
	}
	free(program);
	end(&d);
}

/* One expression stands for two locks. The page and the report tell them apart in the same way. */
Test(page, tells_locks_of_one_expression_apart)
{
	struct drawn d = {0};
	char *program, page[PATH_MAX];

	e2e_begin(&d.e2e);
	program = e2e_program(&d.e2e, "heap_locks.c", "-O1 -g");
	e2e_run(&d.e2e, WORDS("--policy=random", "--runs=60", program));
	if (e2e_expect_status(&d.e2e, 1) && e2e_count(&d.e2e, "deadlocks")) {
		d.record = e2e_record(&d.e2e, e2e_item(&d.e2e, "deadlocks", 0));
		snprintf(page, sizeof(page), "%s/page.html", d.e2e.folder);
		e2e_expect(&d.e2e, strstr(d.e2e.said.out, " (heap+0x"), "%s", d.e2e.said.out);
		draw(&d, page);
		expect(&d, "lock account-&gt;lock (heap+0x", true);
		expect(&d, "lock account-&gt;lock<", false);
	}
	free(program);
	end(&d);
}

Test(page, shows_a_deadlock)
{
	struct drawn d;

	begin(&d, "abba", "x", "deadlocks");
	e2e_expect_status(&d.e2e, 1);
	expect(&d, "<h1>DEADLOCK of 2 threads</h1>\n<p class=\"cause\">thread ", true);
	expect(&d, "waits for thread 1</span>", true);
	expect(&d, "waits for thread 2</span>", true);
	expect(&d, "id=\"race\"", false);
	expect(&d, "<tr id=\"failure\" class=\"race switch\">", true);
	end(&d);
}

Test(page, escapes_what_others_wrote)
{
	struct drawn d;

	begin(&d, "figure1", "<b>&\"\xff<script>", "pairs");
	e2e_expect_status(&d.e2e, 1);
	expect(&d, "&lt;b&gt;&amp;&quot;&#xfffd;&lt;script&gt;/prog", true);
	e2e_expect(&d.e2e, count(&d, "<script") == 2, "%zu scripts", count(&d, "<script"));
	expect(&d, "\xff", false);
	end(&d);
}

Test(page, is_there_whole_or_not_at_all)
{
	struct drawn d;
	struct spawned said;
	struct stat st;
	char *old;

	begin(&d, "figure1", "x", "pairs");
	draw(&d, "/nonexistent/page.html");
	e2e_expect_status(&d.e2e, 2);
	e2e_expect(&d.e2e, strstr(d.e2e.said.err, "--html: cannot write '/nonexistent/page.html'"), "%s",
		   d.e2e.said.err);
	draw(&d, d.e2e.folder);
	e2e_expect_status(&d.e2e, 2);
	e2e_expect(&d.e2e, strstr(d.e2e.said.err, "is a directory"), "%s", d.e2e.said.err);
	/* a device is written to; it is not replaced by a file */
	draw(&d, "/dev/full");
	e2e_expect_status(&d.e2e, 2);
	e2e_expect(&d.e2e, strstr(d.e2e.said.err, "No space left on device"), "%s", d.e2e.said.err);
	e2e_expect(&d.e2e, stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode), "/dev/full is gone");
	/* a page that exists is replaced, and no temporary file remains */
	run("mkdir '%s/old' && echo old >'%s/old/page.html'", d.e2e.folder, d.e2e.folder);
	cr_assert_gt(asprintf(&old, "%s/old/page.html", d.e2e.folder), 0);
	draw(&d, old);
	e2e_expect_status(&d.e2e, 1);
	expect(&d, "<!DOCTYPE html>", true);
	run("test \"$(ls -A '%s/old')\" = page.html", d.e2e.folder);
	free(old);
	/* the name is relative to the user's directory, not to that of the recorded run */
	cr_assert_gt(asprintf(&old, "%s/old", d.e2e.folder), 0);
	spawn_rfsup(WORDS("--replay", d.record, "--html", "mine.html"), old, NULL, &said);
	e2e_expect(&d.e2e, said.status == 1, "status %d\n%s", said.status, said.err);
	spawned_release(&said);
	run("test -s '%s/mine.html'", old);
	free(old);
	/* without its trace, a record gives no page */
	run("rm -f '%s'/out/records/*.trace", d.e2e.folder);
	draw(&d, d.page);
	e2e_expect_status(&d.e2e, 2);
	e2e_expect(&d.e2e, strstr(d.e2e.said.err, "so no page can be written"), "%s", d.e2e.said.err);
	end(&d);
}

#define BROWSER                                                                                                        \
	"timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "                          \
	"--proxy-server=127.0.0.1:9 "

/* Draws the page with a browser, without a network. Returns the picture's bytes; caller frees. */
static char *screenshot(struct drawn *d, const char *page, const char *name, long *size)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s.png", d->e2e.folder, name);
	run("cd '%s' && HOME='%s' " BROWSER "--user-data-dir='%s/profile' --window-size=1200,700 --screenshot='%s' "
	    "'file://%s' >chromium.log 2>&1 && test -s '%s'",
	    d->e2e.folder, d->e2e.folder, d->e2e.folder, path, page, path);
	cr_assert_eq(stat(path, &st), 0);
	*size = st.st_size;
	return e2e_text(path);
}

Test(page, looks_right_in_a_browser)
{
	char plain[PATH_MAX];
	struct drawn d;
	char *with, *without;
	long n_with, n_without;

	if (!e2e_full())
		cr_skip("chromium is for make check-full\n");
	begin(&d, "figure1", "x", "pairs");
	with = screenshot(&d, d.page, "with", &n_with);
	e2e_expect(&d.e2e, n_with > 10000 && memcmp(with + 1, "PNG", 3) == 0, "%ld bytes", n_with);
	/* the control: without marks and bars the picture differs */
	snprintf(plain, sizeof(plain), "%s/plain.html", d.e2e.folder);
	run("sed 's/class=\"race switch\"//; s/ racing\"/\"/; s/class=\"k[0-9]\"//g' '%s' >'%s'", d.page, plain);
	without = screenshot(&d, plain, "without", &n_without);
	e2e_expect(&d.e2e, n_with != n_without, "both pictures have %ld bytes", n_with);
	/* in the browser's document, where the script draws the rows, every operation of the page has one */
	run("cd '%s' && HOME='%s' " BROWSER "--user-data-dir='%s/profile' --dump-dom 'file://%s' >dom.html 2>/dev/null "
	    "&& ops() { grep -o '<tr[^>]* id=\"op[0-9]*\"' \"$1\" | grep -o 'op[0-9]*' | sort -u; } && ops dom.html "
	    ">drawn && "
	    "ops '%s' >written && test $(wc -l <drawn) -gt 5 && cmp drawn written",
	    d.e2e.folder, d.e2e.folder, d.e2e.folder, d.page, d.page);
	free(with);
	free(without);
	end(&d);
}

/* The page of a long run is small, has what matters without a script, and with it is walked by keys and searched. */
Test(page, of_a_long_run_is_walked_by_keys, .timeout = 900)
{
	static const char *const sizes[] = {"1200,800", "500,700"};
	struct drawn d = {0};
	char *program, *walk = realpath("tests/e2e/programs/page_walk.js", NULL), page[PATH_MAX];

	if (!e2e_full())
		cr_skip("chromium is for make check-full\n");
	e2e_begin(&d.e2e);
	program = e2e_program(&d.e2e, "long_run.c", "-O1 -g");
	e2e_run(&d.e2e, WORDS("--runs=1", "--explore=0", program));
	if (!e2e_expect_status(&d.e2e, 1) || !e2e_count(&d.e2e, "pairs"))
		cr_assert_fail("%s", d.e2e.said.out);
	d.record = e2e_record(&d.e2e, e2e_item(&d.e2e, "pairs", 0));
	snprintf(page, sizeof(page), "%s/page.html", d.e2e.folder);
	draw(&d, page);
	e2e_expect(&d.e2e, strlen(d.text) > 1000000 && strlen(d.text) < 3000000, "%zu bytes", strlen(d.text));
	e2e_expect(&d.e2e, count(&d, "<tr ") < 1000, "%zu rows", count(&d, "<tr "));
	expect(&d, "<tr id=\"race\"", true);
	expect(&d, "<tr id=\"failure\"", true);
	expect(&d, " operations not shown</td></tr>", true);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		run("cd '%s' && (cat '%s'; echo '<script>'; cat '%s'; echo '</script>') >walk.html "
		    "&& HOME='%s' " BROWSER "--user-data-dir='%s/profile' --window-size=%s --dump-dom "
		    "'file://%s/walk.html' >walked.html 2>/dev/null; grep -o '<p>walk: .*</p>' walked.html >&2; "
		    "grep -q '<p>walk: right</p>' walked.html",
		    d.e2e.folder, page, walk, d.e2e.folder, d.e2e.folder, sizes[i], d.e2e.folder);
	free(walk);
	free(program);
	end(&d);
}
