/*
 * html_lanes.c - writes the operations of a run as a table. There is one row per operation, with the source line, and
 * one column (lane) per thread. Bars show the locks that a thread holds.
 *
 * The trace shows which locks are held, with two exceptions. It does not show whether a trylock succeeded. If the same
 * thread later unlocks the lock, the trylock counts as successful. The trace does not show either which mutex a
 * condition wait releases. The page assumes the mutex that the thread locked last.
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
#include "supervisor/report/text/markup.h"
#include "supervisor/symbols/symbolize.h"

/* The page of a long run shows only the first rows, the rows around the race, and the last rows. */
#define ROWS_AT_START 300
#define ROWS_AROUND_RACE 700
#define ROWS_AT_END 700

/* More lanes than this are narrow. */
#define WIDE_LANES 3
/* Of a longer stretch of one thread, all but the first and last operations are folded. */
#define STRETCH 14
#define STRETCH_ENDS 4

/* How many bars one thread may have side by side. */
#define SLOTS 8

struct hold {
	const struct rfs_html_lock *lock; /* NULL: the slot is free */
	unsigned count;
	uint64_t order;
};

struct lane {
	bool alive;
	struct hold slot[SLOTS];
	const struct rfs_html_lock
		*given_up; /* the mutex that the thread's current condition wait has released; NULL: none */
};

struct table {
	struct rfs_html_names *names;
	const struct rfs_trace_entry *entries;
	size_t n, n_lanes;
	struct lane *lanes;
	unsigned slots; /* how many bars the widest lane needs */
	bool narrow;	/* there are many lanes: operations are in a column of their own */
	bool *folded;	/* for each operation, whether it is hidden until the reader asks for it */
	uint64_t order;
	struct rfs_html_lock *locks;
	FILE *out;
};

/* The lock that operation i is on. */
static struct rfs_html_lock *html_lanes_lock_of(struct table *t, size_t i)
{
	const struct rfs_trace_entry *entry = &t->entries[i];
	struct rfs_html_lock *lock, wanted;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.offset = entry->offset;
	wanted.key.where = (uint64_t)entry->name << 16 | entry->index;
	HASH_FIND(hh, t->locks, &wanted.key, sizeof(wanted.key), lock);
	if (lock)
		return lock;
	lock = xcalloc(1, sizeof(*lock));
	lock->key = wanted.key;
	lock->number = HASH_COUNT(t->locks);
	lock->name = rfs_html_object(t->names, i);
	HASH_ADD(hh, t->locks, key, sizeof(lock->key), lock);
	return lock;
}

static struct hold *html_lanes_hold_of(struct lane *lane, const struct rfs_html_lock *lock)
{
	for (unsigned i = 0; i < SLOTS; i++)
		if (lane->slot[i].lock == lock)
			return &lane->slot[i];
	return NULL;
}

static void html_lanes_acquire(struct table *t, struct lane *lane, const struct rfs_html_lock *lock)
{
	struct hold *hold = html_lanes_hold_of(lane, lock);

	if (!hold)
		hold = html_lanes_hold_of(lane, NULL);
	if (!hold)
		return; /* the thread holds more locks than there can be bars */
	hold->lock = lock;
	hold->count++;
	hold->order = ++t->order;
	if ((size_t)(hold - lane->slot) >= t->slots)
		t->slots = (unsigned)(hold - lane->slot) + 1;
}

static void html_lanes_release(struct lane *lane, const struct rfs_html_lock *lock)
{
	struct hold *hold = lock ? html_lanes_hold_of(lane, lock) : NULL;

	if (hold && --hold->count == 0)
		hold->lock = NULL;
}

static const struct rfs_html_lock *taken_last(const struct lane *lane)
{
	const struct hold *last = NULL;

	for (unsigned i = 0; i < SLOTS; i++)
		if (lane->slot[i].lock && (!last || lane->slot[i].order > last->order))
			last = &lane->slot[i];
	return last ? last->lock : NULL;
}

static bool same_object(const struct rfs_trace_entry *a, const struct rfs_trace_entry *b)
{
	return a->offset == b->offset && a->name == b->name && a->index == b->index;
}

/* Whether the trylock at index i succeeded. The thread's next operation on the lock shows this. */
static bool unlocks_later(const struct table *t, size_t i)
{
	const struct rfs_trace_entry *tried = &t->entries[i];

	for (size_t k = i + 1; k < t->n; k++) {
		const struct rfs_trace_entry *entry = &t->entries[k];

		if (entry->thread == tried->thread && same_object(entry, tried))
			return entry->kind == RFS_OP_UNLOCK || entry->kind == RFS_OP_COND_WAIT;
	}
	return false;
}

/* Updates the locks that the thread of operation i holds. */
static void html_lanes_apply(struct table *t, size_t i)
{
	const struct rfs_trace_entry *entry = &t->entries[i];
	struct lane *lane = &t->lanes[entry->thread];

	lane->alive = entry->kind != RFS_OP_EXIT;
	switch (entry->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
		if (entry->outcome == RFS_OUTCOME_DONE)
			html_lanes_acquire(t, lane, html_lanes_lock_of(t, i));
		break;
	case RFS_OP_TRYLOCK:
		if (unlocks_later(t, i))
			html_lanes_acquire(t, lane, html_lanes_lock_of(t, i));
		break;
	case RFS_OP_UNLOCK:
		html_lanes_release(lane, html_lanes_lock_of(t, i));
		break;
	case RFS_OP_COND_WAIT:
		lane->given_up = taken_last(lane);
		html_lanes_release(lane, lane->given_up);
		break;
	case RFS_OP_COND_WAKE:
		if (lane->given_up)
			html_lanes_acquire(t, lane, lane->given_up);
		lane->given_up = NULL;
		break;
	default:
		break;
	}
}

static bool html_lanes_is_shown(const struct table *t, size_t i)
{
	const struct rfs_run_result *result = t->names->page->result;
	uint64_t race = result->created.step;

	if (t->n <= ROWS_AT_START + ROWS_AROUND_RACE + ROWS_AT_END || i < ROWS_AT_START || i + ROWS_AT_END >= t->n)
		return true;
	return result->n_created && i + ROWS_AROUND_RACE / 2 >= race && i < race + ROWS_AROUND_RACE / 2;
}

static void write_bars(const struct table *t, const struct lane *lane)
{
	for (unsigned i = 0; i < t->slots; i++) {
		const struct rfs_html_lock *lock = lane->slot[i].lock;

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
static void write_span(const struct table *t, const char *text)
{
	fputs("<span title=\"", t->out);
	rfs_markup_escape(text, t->out);
	fputs("\">", t->out);
	rfs_markup_escape(text, t->out);
	fputs("</span>", t->out);
}

static void write_lane(const struct table *t, size_t number, const char *text)
{
	const struct lane *lane = &t->lanes[number];

	fprintf(t->out, "<td class=\"lane%s\">", lane->alive ? " alive" : "");
	write_bars(t, lane);
	if (text && t->narrow)
		fputs("<span>&#9679;</span>", t->out);
	else if (text)
		write_span(t, text);
	fputs("</td>", t->out);
}

/* The column with the operation, if lanes are too narrow for it. texts: for each lane; NULL: none. */
static void html_lanes_write_operation(const struct table *t, char *const *texts)
{
	const char *separator = "";

	if (!t->narrow)
		return;
	fputs("<td class=\"what\">", t->out);
	for (size_t k = 0; k < t->n_lanes; k++)
		if (texts[k]) {
			fprintf(t->out, "%s<b>%zu</b> ", separator, k);
			write_span(t, texts[k]);
			separator = "; ";
		}
	fputs("</td>", t->out);
}

/* Writes a cell for each lane, and the operation. texts: for each lane; freed. */
static void write_lanes(const struct table *t, char **texts)
{
	for (size_t k = 0; k < t->n_lanes; k++)
		write_lane(t, k, texts[k]);
	html_lanes_write_operation(t, texts);
	for (size_t k = 0; k < t->n_lanes; k++)
		free(texts[k]);
	free(texts);
}

static void write_row(struct table *t, size_t i, bool racing)
{
	const struct rfs_trace_entry *entry = &t->entries[i];
	const struct rfs_html_site *site = rfs_html_site(t->names, i);
	char *text = rfs_html_operation(t->names, i), **texts = xcalloc(t->n_lanes, sizeof(*texts));
	bool other = i == 0 || t->entries[i - 1].thread != entry->thread;

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

/* Writes the row of the race, when both threads are parked at their statements. */
static void write_race(const struct table *t)
{
	const struct rfs_page *page = t->names->page;
	const struct rfs_race *race = &page->result->created;
	char **texts = xcalloc(t->n_lanes, sizeof(*texts));

	fputs("<tr id=\"race\" class=\"race switch\"><th scope=\"row\">race</th>", t->out);
	for (size_t k = 0; k < t->n_lanes; k++) {
		char *text = NULL;

		for (int s = 0; s < 2; s++)
			if (race->side[s].thread == (int)k) {
				char *at = rfs_symbols_text(page->symbols, &race->side[s].site, false);

				free(text);
				text = xasprintf("is about to %s, %s",
						 race->side[s].access & RFS_ACCESS_WRITE ? "write" : "read", at);
				free(at);
			}
		texts[k] = text;
	}
	write_lanes(t, texts);
	fputs("<td class=\"at\">both threads are parked at the two statements</td><td class=\"source\"></td></tr>\n",
	      t->out);
}

/* If the run ended in a deadlock, writes a last row that shows what each thread waits for. */
static void html_lanes_write_waiters(const struct table *t)
{
	const struct rfs_page *page = t->names->page;
	const struct rfs_run_result *result = page->result;
	char **texts;

	if (!result->deadlock.n)
		return;
	fputs("<tr class=\"race switch\"><th scope=\"row\">end</th>", t->out);
	texts = xcalloc(t->n_lanes, sizeof(*texts));
	for (size_t k = 0; k < t->n_lanes; k++) {
		char *text = NULL;

		for (size_t i = 0; i < result->deadlock.n && !text; i++) {
			const struct rfs_waiter *waiter = &result->deadlock.list[i];
			char *object, *what;

			if (waiter->thread != (int)k)
				continue;
			object = rfs_symbols_lock(page->symbols, &waiter->waits_for);
			what = rfs_op_text(waiter->operation, object);
			text = waiter->for_thread >= 0 ? xasprintf("%s: waits for thread %d", what, waiter->for_thread)
						       : xasprintf("%s: waits", what);
			free(what);
			free(object);
		}
		texts[k] = text;
	}
	write_lanes(t, texts);
	fputs("<td class=\"at\">no thread can continue</td><td class=\"source\"></td></tr>\n", t->out);
}

static void write_head(const struct table *t)
{
	fputs("<table>\n<colgroup><col class=\"number\">", t->out);
	for (size_t k = 0; k < t->n_lanes; k++)
		fputs(t->narrow ? "<col class=\"narrow\">" : "<col>", t->out);
	fprintf(t->out, "%s<col class=\"at\"><col class=\"source\"></colgroup>\n<thead><tr><th scope=\"col\">#</th>",
		t->narrow ? "<col>" : "");
	for (size_t k = 0; k < t->n_lanes; k++)
		fprintf(t->out, "<th scope=\"col\">%s%zu</th>", t->narrow ? "" : "thread ", k);
	fprintf(t->out,
		"%s<th scope=\"col\">where</th><th scope=\"col\" class=\"source\">source</th></tr></thead>\n<tbody>\n",
		t->narrow ? "<th scope=\"col\">thread and operation</th>" : "");
}

static bool html_lanes_gives_up(const struct rfs_trace_entry *entry)
{
	return entry->kind == RFS_OP_UNLOCK || entry->kind == RFS_OP_COND_WAIT || entry->kind == RFS_OP_EXIT;
}

static size_t columns(const struct table *t)
{
	return t->n_lanes + 3 + t->narrow;
}

static void write_gap(const struct table *t, size_t left_out)
{
	if (left_out)
		fprintf(t->out, "<tr class=\"gap\"><td colspan=\"%zu\">%zu operations not shown</td></tr>\n",
			columns(t), left_out);
}

/* Marks what is folded: the middle of each long stretch of one thread, but nothing at the race. */
static void fold(struct table *t)
{
	const struct rfs_run_result *result = t->names->page->result;
	size_t race = result->n_created ? result->created.step : SIZE_MAX;

	for (size_t first = 0, end; first < t->n; first = end) {
		for (end = first + 1; end < t->n && t->entries[end].thread == t->entries[first].thread && end != race;)
			end++;
		for (size_t i = first + STRETCH_ENDS; end - first > STRETCH && i < end - STRETCH_ENDS; i++)
			t->folded[i] = true;
	}
}

/* Begins or ends the part of the table that is hidden, before operation i. */
static void write_fold(const struct table *t, size_t i)
{
	size_t end = i;

	if (i > 0 && t->folded[i - 1] && !t->folded[i])
		fputs("</tbody><tbody>\n", t->out);
	if (!t->folded[i] || (i > 0 && t->folded[i - 1]))
		return;
	while (end < t->n && t->folded[end])
		end++;
	fprintf(t->out,
		"</tbody><tbody class=\"fold\"><tr class=\"gap\"><td colspan=\"%zu\"><label><input type=\"checkbox\"> "
		"%zu more operations of thread %u</label></td></tr></tbody><tbody class=\"folded\">\n",
		columns(t), end - i, t->entries[i].thread);
}

static void write_rows(struct table *t)
{
	const struct rfs_run_result *result = t->names->page->result;
	bool seen[2] = {false, false};
	size_t left_out = 0;

	for (size_t i = 0; i < t->n; i++) {
		bool racing = false;

		write_fold(t, i);
		if (result->n_created && i == result->created.step)
			write_race(t);
		for (int s = 0; s < 2 && result->n_created && i >= result->created.step; s++)
			if (!seen[s] && rfs_html_is_side(t->names, i, s))
				racing = seen[s] = true;
		/*
		 * a bar covers the row that takes the lock and also the row that releases the lock; so a release is
		 * applied after its row is written
		 */
		if (!html_lanes_gives_up(&t->entries[i]))
			html_lanes_apply(t, i);
		if (html_lanes_is_shown(t, i)) {
			write_gap(t, left_out);
			left_out = 0;
			write_row(t, i, racing);
		} else {
			left_out++;
		}
		if (html_lanes_gives_up(&t->entries[i]))
			html_lanes_apply(t, i);
	}
	if (result->n_created && result->created.step >= t->n)
		write_race(t);
}

/*
 * Counts the bars that the widest lane needs. The count is needed before the first row is written, because a bar has
 * the same position in all rows.
 */
static void measure(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		html_lanes_apply(t, i);
	memset(t->lanes, 0, t->n_lanes * sizeof(*t->lanes));
	t->order = 0;
}

struct rfs_html_lock *rfs_html_write_lanes(struct rfs_html_names *names, const struct rfs_trace_entry *entries,
					   size_t n, FILE *out)
{
	struct table t = {.names = names, .entries = entries, .n = n, .n_lanes = 1, .out = out};

	for (size_t i = 0; i < n; i++)
		if (entries[i].thread >= t.n_lanes)
			t.n_lanes = entries[i].thread + 1u;
	t.narrow = t.n_lanes > WIDE_LANES;
	t.folded = xcalloc(n + 1, sizeof(*t.folded));
	fold(&t);
	t.lanes = xcalloc(t.n_lanes, sizeof(*t.lanes));
	measure(&t);
	t.lanes[0].alive = true;
	write_head(&t);
	write_rows(&t);
	html_lanes_write_waiters(&t);
	fputs("</tbody></table>\n", out);
	free(t.folded);
	free(t.lanes);
	return t.locks;
}

void rfs_html_locks_free(struct rfs_html_lock *locks)
{
	struct rfs_html_lock *lock, *next;

	HASH_ITER (hh, locks, lock, next) {
		HASH_DEL(locks, lock);
		free(lock->name);
		free(lock);
	}
}
