/*
 * timeline.c - a run as events: each operation is a slice of 10 us on the track of its thread, because real time means
 * nothing in a controlled run. Locks can overlap without nesting, so they are asynchronous slices. An arrow goes from
 * the last operation of a thread to the first one of the next thread.
 */
#include "supervisor/report/html/timeline.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/html/html.h"
#include "supervisor/report/html/html_holds.h"
#include "supervisor/report/text/markup.h"

/* The length of an operation in microseconds. */
#define TICK 10

struct timeline {
	struct rfs_html_names names;
	struct rfs_html_holds holds;
	const char *separator;
	FILE *out;
};

/* Begins an event; the caller may add members, and ends it with "}". phase: see "Trace Event Format". */
static void put_event(struct timeline *t, char phase, uint64_t at, size_t thread, const char *kind, const char *name)
{
	fprintf(t->out,
		"%s\n{\"ph\":\"%c\",\"pid\":1,\"tid\":%zu,\"ts\":%" PRIu64 ",\"cat\":\"%s\",\"name\":", t->separator,
		phase, thread + 1, at, kind); /* Perfetto takes thread 0 for the idle task */
	rfs_markup_json(name, t->out);
	t->separator = ",";
}

static void put_name(struct timeline *t, const char *what, size_t thread, const char *name)
{
	put_event(t, 'M', 0, thread, "", what);
	fputs(",\"args\":{\"name\":", t->out);
	rfs_markup_json(name, t->out);
	fputs("}}", t->out);
}

static void put_operation(struct timeline *t, size_t i)
{
	const struct rfs_html_site *site = rfs_html_site(&t->names, i);
	char *text = rfs_html_operation(&t->names, i);

	put_event(t, 'X', i * TICK, t->holds.entries[i].thread, "operation", text);
	fprintf(t->out, ",\"dur\":%d,\"args\":{\"operation\":%zu,\"where\":", TICK, i);
	rfs_markup_json(site->at, t->out);
	fputs(",\"source\":", t->out);
	rfs_markup_json(site->source, t->out);
	fputs("}}", t->out);
	free(text);
}

/* An arrow to operation i, if another thread made the operation before it. */
static void put_switch(struct timeline *t, size_t i)
{
	const struct rfs_trace_entry *entries = t->holds.entries;

	if (i == 0 || entries[i - 1].thread == entries[i].thread)
		return;
	put_event(t, 's', i * TICK - 1, entries[i - 1].thread, "switch", "switch");
	fprintf(t->out, ",\"id\":%zu}", i);
	put_event(t, 'f', i * TICK, entries[i].thread, "switch", "switch");
	fprintf(t->out, ",\"id\":%zu,\"bp\":\"e\"}", i);
}

static void put_lock(struct timeline *t, char phase, uint64_t at, size_t thread, const struct rfs_html_lock *lock)
{
	char *name = xasprintf("%s held by thread %zu", lock->name, thread);

	put_event(t, phase, at, thread, "lock", name);
	fprintf(t->out, ",\"id\":\"%zu.%u\"}", thread, lock->number);
	free(name);
}

/* The slices of locks that operation i of the thread begins or ends. before: the slots before the operation. */
static void put_locks(struct timeline *t, size_t i, size_t thread, const struct rfs_html_hold *before)
{
	const struct rfs_html_hold *now = t->holds.lanes[thread].slot;

	for (size_t k = 0; k < RFS_HTML_SLOTS; k++) {
		if (before[k].lock == now[k].lock)
			continue;
		if (before[k].lock)
			put_lock(t, 'e', (i + 1) * TICK, thread, before[k].lock);
		if (now[k].lock)
			put_lock(t, 'b', i * TICK, thread, now[k].lock);
	}
}

static void put_operations(struct timeline *t)
{
	struct rfs_html_hold before[RFS_HTML_SLOTS];

	for (size_t i = 0; i < t->holds.n; i++) {
		const size_t thread = t->holds.entries[i].thread;

		memcpy(before, t->holds.lanes[thread].slot, sizeof(before));
		put_switch(t, i);
		put_operation(t, i);
		rfs_html_holds_apply(&t->holds, i);
		put_locks(t, i, thread, before);
	}
	for (size_t thread = 0; thread < t->holds.n_lanes; thread++)
		for (size_t k = 0; k < RFS_HTML_SLOTS; k++)
			if (t->holds.lanes[thread].slot[k].lock)
				put_lock(t, 'e', t->holds.n * TICK, thread, t->holds.lanes[thread].slot[k].lock);
}

static void put_marks(struct timeline *t)
{
	const struct rfs_page *page = t->names.page;

	if (page->result->n_created) {
		put_event(t, 'i', rfs_html_race_row(&t->names, t->holds.n) * TICK,
			  (size_t)page->result->created.side[0].thread, "race",
			  "race: both threads are at their statements");
		fputs(",\"s\":\"g\"}", t->out);
	}
	if (t->holds.n) {
		put_event(t, 'i', t->holds.n * TICK, t->holds.entries[t->holds.n - 1].thread, "end", page->outcome);
		fputs(",\"s\":\"g\"}", t->out);
	}
}

static void write_timeline(const struct rfs_page *page, const struct rfs_trace_entry *entries, size_t n, FILE *out)
{
	struct timeline t = {.separator = "", .out = out};

	rfs_html_names_open(&t.names, page, entries);
	rfs_html_learn(&t.names, n);
	rfs_html_holds_open(&t.holds, &t.names, entries, n);
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", out);
	put_name(&t, "process_name", 0, page->record->execution.spec.process.path);
	for (size_t i = 0; i < t.holds.n_lanes; i++) {
		char *name = xasprintf("thread %zu", i);

		put_name(&t, "thread_name", i, name);
		free(name);
	}
	put_operations(&t);
	put_marks(&t);
	fputs("\n]}\n", out);
	rfs_html_locks_free(t.holds.locks);
	free(t.holds.lanes);
	rfs_html_names_release(&t.names);
}

int rfs_timeline_write(const struct rfs_page *page, const char *path, char *why, size_t n)
{
	return rfs_html_write_as(page, path, "trace", write_timeline, why, n);
}
