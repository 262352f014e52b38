/*
 * html_lanes.c - writes the operations of a run as a table. There is one row per operation, with the source line, and
 * one column (lane) per thread. Bars show the locks that a thread holds.
 */
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/site.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/html/html.h"
#include "supervisor/report/html/html_holds.h"
#include "supervisor/report/text/markup.h"
#include "supervisor/symbols/symbolize.h"

/*
 * The table of a longer run has only the first rows, the rows around the race, and the last rows. The page's script
 * shows the others.
 */
#define ROWS 1700
#define ROWS_AT_START 150
#define ROWS_AROUND_RACE 400
#define ROWS_AT_END 300

/* More lanes than this are narrow. */
#define WIDE_LANES 3
/* In each of more lanes than this, there is room for one lock. */
#define LANES_WITH_SLOTS 16
/* With more lanes, only each eighth has its number at the head. */
#define NUMBERED_LANES 32
/* Of a longer stretch of one thread, all but the first and last operations are folded. */
#define STRETCH 14
#define STRETCH_ENDS 4

static bool html_lanes_is_shown(const struct rfs_html_table *t, size_t i)
{
	if (t->holds.n <= ROWS || i < ROWS_AT_START || i + ROWS_AT_END >= t->holds.n)
		return true;
	return t->race != SIZE_MAX && i + ROWS_AROUND_RACE / 2 >= t->race && i < t->race + ROWS_AROUND_RACE / 2;
}

const struct rfs_html_lock *rfs_html_slot(const struct rfs_html_table *t, const struct rfs_html_lane *lane, unsigned i)
{
	unsigned used = i;

	/* if there is room for one lock only, it is the first that the thread holds */
	while (t->slots < t->holds.slots && used + 1 < t->holds.slots && !lane->slot[used].lock)
		used++;
	return lane->slot[used].lock;
}

static void write_bars(const struct rfs_html_table *t, const struct rfs_html_lane *lane)
{
	for (unsigned i = 0; i < t->slots; i++) {
		const struct rfs_html_lock *lock = rfs_html_slot(t, lane, i);

		if (!lock) {
			fputs("<i></i>", t->out);
			continue;
		}
		fprintf(t->out, "<i class=\"k%u\" title=\"holds ", lock->number % RFS_HTML_COLOURS);
		rfs_markup_escape(lock->name, t->out);
		fputs("\"></i>", t->out);
	}
}

/* The text of an operation. It may be cut by the width of its column, so it can also be seen under the pointer. */
static void write_span(const struct rfs_html_table *t, const char *text)
{
	fputs("<span title=\"", t->out);
	rfs_markup_escape(text, t->out);
	fputs("\">", t->out);
	rfs_markup_escape(text, t->out);
	fputs("</span>", t->out);
}

static void write_lane(const struct rfs_html_table *t, size_t number, const char *text)
{
	const struct rfs_html_lane *lane = &t->holds.lanes[number];

	fprintf(t->out, "<td class=\"lane%s\">", lane->alive ? " alive" : "");
	write_bars(t, lane);
	if (text && t->narrow)
		fputs("<span>&#9679;</span>", t->out);
	else if (text)
		write_span(t, text);
	fputs("</td>", t->out);
}

/* The column with the operation, if lanes are too narrow for it. texts: for each lane; NULL: none. */
static void html_lanes_write_operation(const struct rfs_html_table *t, char *const *texts)
{
	const char *separator = "";

	if (!t->narrow)
		return;
	fputs("<td class=\"what\">", t->out);
	for (size_t k = 0; k < t->holds.n_lanes; k++)
		if (texts[k]) {
			fprintf(t->out, "%s<b>%zu</b> ", separator, k);
			write_span(t, texts[k]);
			separator = "; ";
		}
	fputs("</td>", t->out);
}

/* Writes a cell for each lane, and the operation. texts: for each lane; freed. */
static void write_lanes(const struct rfs_html_table *t, char **texts)
{
	for (size_t k = 0; k < t->holds.n_lanes; k++)
		write_lane(t, k, texts[k]);
	html_lanes_write_operation(t, texts);
	for (size_t k = 0; k < t->holds.n_lanes; k++)
		free(texts[k]);
	free(texts);
}

static void write_row(struct rfs_html_table *t, size_t i, bool racing)
{
	const struct rfs_trace_entry *entry = &t->holds.entries[i];
	const struct rfs_html_site *site = rfs_html_site(t->holds.names, i);
	char *text = rfs_html_operation(t->holds.names, i), **texts = xcalloc(t->holds.n_lanes, sizeof(*texts));
	bool other = i == 0 || t->holds.entries[i - 1].thread != entry->thread;

	fprintf(t->out, "<tr id=\"op%zu\" class=\"%s%s\"><th scope=\"row\">%zu</th>", i, other ? "switch" : "",
		racing ? " racing" : "", i);
	texts[entry->thread] = text;
	write_lanes(t, texts);
	fputs("<td class=\"at\" title=\"", t->out);
	rfs_markup_escape(site->title, t->out);
	fputs("\">", t->out);
	rfs_markup_escape(site->at, t->out);
	fputs("</td><td class=\"source\"><code>", t->out);
	rfs_markup_escape(site->source, t->out);
	fputs("</code></td></tr>\n", t->out);
}

/* Writes a row that is no operation. texts: for each lane; both are freed. */
static void write_special(const struct rfs_html_table *t, const char *id, const char *head, char **texts, char *at)
{
	fprintf(t->out, "<tr id=\"%s\" class=\"race switch\"><th scope=\"row\">%s</th>", id, head);
	write_lanes(t, texts);
	fputs("<td class=\"at\">", t->out);
	rfs_markup_escape(at, t->out);
	fputs("</td><td class=\"source\"></td></tr>\n", t->out);
	free(at);
}

/* What the thread of this side does at the race. Caller frees. */
static char *side_text(const struct rfs_html_table *t, int side)
{
	const struct rfs_page *page = t->holds.names->page;
	const struct rfs_race *race = &page->result->created;
	const struct rfs_evidence *evidence = &race->side[side];
	const bool call = evidence->access & RFS_ACCESS_CALL;
	/* the first side is the thread that the handler interrupts */
	const bool interrupted = race->interrupts && side == 0;
	const char *noun = rfs_access_text(evidence->access, RFS_ACCESS_NOUN);
	char *at = rfs_symbols_text(page->symbols, &evidence->site, false), *text;

	/* in narrow lanes, the row's last cell has the places */
	if (interrupted)
		text = t->narrow ? xasprintf("interrupted %s its %s", race->first == 1 ? "after" : "before", noun)
				 : xasprintf("is interrupted %s its %s, %s", race->first == 1 ? "after" : "before",
					     noun, at);
	else if (t->narrow)
		text = xasprintf("%s next", rfs_access_text(evidence->access, RFS_ACCESS_VERB));
	else
		text = xasprintf("is about to %s%s, %s", call ? "call " : "",
				 rfs_access_text(evidence->access, RFS_ACCESS_COMMAND), at);
	free(at);
	return text;
}

char **rfs_html_race_texts(const struct rfs_html_table *t)
{
	const struct rfs_race *race = &t->holds.names->page->result->created;
	char **texts = xcalloc(t->holds.n_lanes, sizeof(*texts));

	for (int s = 0; s < 2; s++)
		if (race->side[s].thread >= 0 && (size_t)race->side[s].thread < t->holds.n_lanes) {
			free(texts[race->side[s].thread]);
			texts[race->side[s].thread] = side_text(t, s);
		}
	return texts;
}

char *rfs_html_race_at(const struct rfs_html_table *t)
{
	const struct rfs_page *page = t->holds.names->page;
	const struct rfs_race *race = &page->result->created;
	char *at[2], *text;

	if (!t->narrow && race->interrupts)
		return xasprintf("the handler runs on thread %d", race->side[0].thread);
	if (!t->narrow)
		return xstrdup("both threads are parked at the two statements");
	for (int s = 0; s < 2; s++)
		at[s] = rfs_symbols_text(page->symbols, &race->side[s].site, false);
	if (race->interrupts)
		text = xasprintf("thread %d runs on thread %d, which is at %s; it is at %s", race->side[1].thread,
				 race->side[0].thread, at[0], at[1]);
	else
		text = xasprintf("thread %d is parked at %s, thread %d at %s", race->side[0].thread, at[0],
				 race->side[1].thread, at[1]);
	free(at[0]);
	free(at[1]);
	return text;
}

/* Writes the row of the race, when both threads are at their statements. */
static void write_race(const struct rfs_html_table *t)
{
	write_special(t, "race", "race", rfs_html_race_texts(t), rfs_html_race_at(t));
}

/* What each thread of a deadlock waits for. */
static void put_waiters(const struct rfs_html_table *t, char **texts)
{
	const struct rfs_page *page = t->holds.names->page;
	const struct rfs_run_result *result = page->result;

	for (size_t k = 0; k < t->holds.n_lanes; k++) {
		char *text = NULL;

		for (size_t i = 0; i < result->deadlock.n && !text; i++) {
			const struct rfs_waiter *waiter = &result->deadlock.list[i];
			char *object, *what;

			if (waiter->thread != (int)k)
				continue;
			object = rfs_symbols_lock(page->symbols, &waiter->waits_for);
			what = rfs_op_text(waiter->operation, 0, object);
			text = waiter->for_thread >= 0 ? xasprintf("%s: waits for thread %d", what, waiter->for_thread)
						       : xasprintf("%s: waits", what);
			free(what);
			free(object);
		}
		texts[k] = text;
	}
}

char *rfs_html_end_texts(const struct rfs_html_table *t, char ***texts)
{
	const struct rfs_page *page = t->holds.names->page;
	const struct rfs_run_result *result = page->result;

	*texts = NULL;
	if (!result->deadlock.n && (result->end == RFS_END_EXIT && result->detail == 0))
		return NULL;
	*texts = xcalloc(t->holds.n_lanes, sizeof(**texts));
	if (result->deadlock.n) {
		put_waiters(t, *texts);
		return xstrdup("no thread can continue");
	}
	if (result->n_fault && (size_t)result->fault_thread < t->holds.n_lanes)
		(*texts)[result->fault_thread] = xstrdup(page->outcome);
	return xasprintf("the run ended here: %s", page->outcome);
}

/* If the run failed, writes a last row that shows how it ended, and what threads wait for. */
static void write_end(const struct rfs_html_table *t)
{
	char **texts, *at = rfs_html_end_texts(t, &texts);

	if (at)
		write_special(t, "failure", "end", texts, at);
}

/* The head of a wide lane. A handler is a thread of the run, and runs on another one. */
static void write_thread(const struct rfs_html_table *t, size_t lane)
{
	int signo = 0;

	for (size_t i = 0; i < t->holds.n && !signo; i++)
		if (t->holds.entries[i].thread == lane && t->holds.entries[i].kind == RFS_OP_START)
			signo = (int)t->holds.entries[i].access;
	fprintf(t->out, "<th scope=\"col\">thread %zu", lane);
	if (signo) {
		char *who = rfs_thread_text((int)lane, signo);

		fprintf(t->out, ", %s", who);
		free(who);
	}
	fputs("</th>", t->out);
}

static void write_head(const struct rfs_html_table *t)
{
	/* a number has four digits at least, because "race" is as long */
	int digits = snprintf(NULL, 0, "%zu", t->holds.n > 1000 ? t->holds.n : 1000);

	fprintf(t->out,
		"<table class=\"%s\" style=\"--lanes:%zu;--slots:%u;--digits:%d\">\n<colgroup><col class=\"number\">",
		t->narrow ? "narrow" : "wide", t->holds.n_lanes, t->slots, digits);
	for (size_t k = 0; k < t->holds.n_lanes; k++)
		fputs(t->narrow ? "<col class=\"narrow\">" : "<col>", t->out);
	fprintf(t->out, "%s<col class=\"at\"><col class=\"source\"></colgroup>\n<thead><tr><th scope=\"col\">#</th>",
		t->narrow ? "<col>" : "");
	for (size_t k = 0; k < t->holds.n_lanes; k++)
		if (t->holds.n_lanes > NUMBERED_LANES && k % 8)
			fputs("<th scope=\"col\" class=\"lane\"></th>", t->out);
		else if (t->narrow)
			fprintf(t->out, "<th scope=\"col\" class=\"lane\">%zu</th>", k);
		else
			write_thread(t, k);
	fprintf(t->out,
		"%s<th scope=\"col\">where</th><th scope=\"col\" class=\"source\">source</th></tr></thead>\n<tbody>\n",
		t->narrow ? "<th scope=\"col\">thread and operation</th>" : "");
}

bool rfs_html_gives_up(const struct rfs_trace_entry *entry)
{
	return entry->kind == RFS_OP_UNLOCK || entry->kind == RFS_OP_COND_WAIT || entry->kind == RFS_OP_EXIT;
}

static size_t columns(const struct rfs_html_table *t)
{
	return t->holds.n_lanes + 3 + t->narrow;
}

static void write_gap(const struct rfs_html_table *t, size_t left_out)
{
	if (left_out)
		fprintf(t->out, "<tr class=\"gap\"><td colspan=\"%zu\">%zu operations not shown</td></tr>\n",
			columns(t), left_out);
}

/* Marks what is folded: the middle of each long stretch of one thread, but nothing at the race. */
static void fold(struct rfs_html_table *t)
{
	for (size_t first = 0, end; first < t->holds.n; first = end) {
		for (end = first + 1; end < t->holds.n &&
				      t->holds.entries[end].thread == t->holds.entries[first].thread && end != t->race;)
			end++;
		for (size_t i = first + STRETCH_ENDS; end - first > STRETCH && i < end - STRETCH_ENDS; i++)
			t->folded[i] = true;
	}
}

static bool is_folded_here(const struct rfs_html_table *t, size_t i)
{
	return i < t->holds.n && t->folded[i] && html_lanes_is_shown(t, i);
}

/* Begins or ends the part of the table that is hidden, before operation i. */
static void write_fold(const struct rfs_html_table *t, size_t i)
{
	bool before = i > 0 && is_folded_here(t, i - 1);
	size_t end = i;

	if (before && !is_folded_here(t, i))
		fputs("</tbody><tbody>\n", t->out);
	if (before || !is_folded_here(t, i))
		return;
	while (is_folded_here(t, end))
		end++;
	fprintf(t->out,
		"</tbody><tbody class=\"fold\"><tr class=\"gap\"><td colspan=\"%zu\"><label><input type=\"checkbox\"> "
		"%zu more operations of thread %u</label></td></tr></tbody><tbody class=\"folded\">\n",
		columns(t), end - i, t->holds.entries[i].thread);
}

static void write_rows(struct rfs_html_table *t)
{
	bool seen[2] = {false, false};
	size_t left_out = 0;

	for (size_t i = 0; i < t->holds.n; i++) {
		bool racing = false;

		write_fold(t, i);
		if (i == t->race)
			write_race(t);
		for (int s = 0; s < 2 && i >= t->race; s++)
			if (!seen[s] && rfs_html_is_side(t->holds.names, i, s))
				racing = seen[s] = true;
		/*
		 * a bar covers the row that takes the lock and also the row that releases the lock; so a release is
		 * applied after its row is written
		 */
		if (!rfs_html_gives_up(&t->holds.entries[i]))
			rfs_html_holds_apply(&t->holds, i);
		if (html_lanes_is_shown(t, i)) {
			write_gap(t, left_out);
			left_out = 0;
			write_row(t, i, racing);
		} else {
			left_out++;
		}
		if (rfs_html_gives_up(&t->holds.entries[i]))
			rfs_html_holds_apply(&t->holds, i);
	}
	if (t->race == t->holds.n)
		write_race(t);
}

/*
 * Counts the bars that the widest lane needs. The count is needed before the first row is written, because a bar has
 * the same position in all rows.
 */
static void measure(struct rfs_html_table *t)
{
	for (size_t i = 0; i < t->holds.n; i++)
		rfs_html_holds_apply(&t->holds, i);
	rfs_html_holds_again(&t->holds);
	t->slots = t->holds.n_lanes > LANES_WITH_SLOTS && t->holds.slots ? 1 : t->holds.slots;
}

struct rfs_html_lock *rfs_html_write_lanes(struct rfs_html_names *names, const struct rfs_trace_entry *entries,
					   size_t n, FILE *out)
{
	struct rfs_html_table t = {.race = rfs_html_race_row(names, n), .out = out};

	rfs_html_holds_open(&t.holds, names, entries, n);
	t.narrow = t.holds.n_lanes > WIDE_LANES;
	t.folded = xcalloc(n + 1, sizeof(*t.folded));
	fold(&t);
	measure(&t);
	write_head(&t);
	write_rows(&t);
	write_end(&t);
	fputs("</tbody></table>\n", out);
	rfs_html_holds_again(&t.holds);
	rfs_html_write_data(&t);
	free(t.folded);
	free(t.holds.lanes);
	return t.holds.locks;
}
