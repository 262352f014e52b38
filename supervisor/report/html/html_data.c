/*
 * html_data.c - the operations of a run as data, from which the page's script (page.js) makes rows.
 *
 * A row as HTML has some 400 bytes, and a browser is slow with 100,000 of them. Here an operation has about 10 bytes:
 * numbers of its thread, its text and its site, which are written once. What lanes show is written as changes.
 */
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/html/html.h"
#include "supervisor/report/text/markup.h"

/*
 * A longer run has only this many operations in its data: the first and the last ones, and those around the race. The
 * page then has about 5 MB.
 */
#define OPERATIONS 200000
#define OPERATIONS_AT_START 20000
#define OPERATIONS_AT_END 80000

/* A text that operations share. */
struct shared_text {
	char *text;
	size_t number;
	UT_hash_handle hh;
};

struct data {
	struct rfs_html_table *table;
	struct shared_text *texts;
	size_t n_sites, n; /* n: how many operations are written */
	size_t *cells;	   /* what the lanes show: for each lane, whether its thread is alive, then its bars */
	FILE *operations, *sites, *changes;
};

static bool is_in_data(const struct rfs_html_table *t, size_t i)
{
	const size_t around = OPERATIONS - OPERATIONS_AT_START - OPERATIONS_AT_END;

	return t->holds.n <= OPERATIONS || i < OPERATIONS_AT_START || i + OPERATIONS_AT_END >= t->holds.n ||
	       (t->race != SIZE_MAX && i + around / 2 >= t->race && i < t->race + around / 2);
}

/* The number of the text. text: becomes the property of the data. */
static size_t text_number(struct data *d, char *text)
{
	struct shared_text *shared;

	HASH_FIND_STR(d->texts, text, shared);
	if (shared) {
		free(text);
		return shared->number;
	}
	shared = xcalloc(1, sizeof(*shared));
	shared->text = text;
	shared->number = HASH_COUNT(d->texts);
	HASH_ADD_KEYPTR(hh, d->texts, shared->text, strlen(shared->text), shared);
	return shared->number;
}

static size_t site_number(struct data *d, size_t i)
{
	struct rfs_html_site *site = (struct rfs_html_site *)rfs_html_site(d->table->holds.names, i);

	if (!site->number) {
		fputs(d->n_sites ? ",\n[" : "[", d->sites);
		rfs_markup_json(site->at, d->sites);
		fputc(',', d->sites);
		rfs_markup_json(site->title, d->sites);
		fputc(',', d->sites);
		rfs_markup_json(site->source, d->sites);
		fputc(']', d->sites);
		site->number = ++d->n_sites;
	}
	return site->number - 1;
}

/* Writes how the lane differs from what was written of it. */
static void put_changes(struct data *d, size_t lane)
{
	const struct rfs_html_table *t = d->table;
	const struct rfs_html_lane *now = &t->holds.lanes[lane];
	size_t first = lane * (t->slots + 1);

	for (unsigned i = 0; i <= t->slots; i++) {
		const struct rfs_html_lock *lock = i ? rfs_html_slot(t, now, i - 1) : NULL;
		size_t value = i == 0 ? now->alive : lock ? lock->number + 1 : 0;

		if (d->cells[first + i] != value)
			fprintf(d->changes, ",%zu,%zu,%zu", d->n, first + i, value);
		d->cells[first + i] = value;
	}
}

static void put_operation(struct data *d, size_t i)
{
	const struct rfs_html_table *t = d->table;

	for (size_t k = 0; k < t->holds.n_lanes; k++)
		if (i == 0 || !is_in_data(t, i - 1) || k == t->holds.entries[i].thread ||
		    k == t->holds.entries[i - 1].thread)
			put_changes(d, k);
	fprintf(d->operations, "%s%u,%zu,%zu", d->n ? "," : "", t->holds.entries[i].thread,
		text_number(d, rfs_html_operation(t->holds.names, i)), site_number(d, i));
	d->n++;
}

/* Writes the ranges of operations for which `has` is true, as their first numbers and lengths. */
static void put_ranges(const struct rfs_html_table *t, const char *key,
		       bool (*has)(const struct rfs_html_table *t, size_t i))
{
	const char *separator = "";

	fprintf(t->out, ",\n\"%s\":[", key);
	for (size_t i = 0, end; i < t->holds.n; i = end) {
		end = i + 1;
		if (!has(t, i))
			continue;
		while (end < t->holds.n && has(t, end))
			end++;
		fprintf(t->out, "%s%zu,%zu", separator, i, end - i);
		separator = ",";
	}
	fputc(']', t->out);
}

static bool is_folded(const struct rfs_html_table *t, size_t i)
{
	return t->folded[i];
}

/* Writes a row that is no operation: what it says of each thread, and at its end; both are freed. */
static void put_special(const struct rfs_html_table *t, const char *key, char **texts, char *at)
{
	fprintf(t->out, ",\n\"%s\":{\"at\":", key);
	rfs_markup_json(at, t->out);
	free(at);
	fputs(",\"texts\":[", t->out);
	for (size_t k = 0; k < t->holds.n_lanes; k++) {
		fputs(k ? "," : "", t->out);
		rfs_markup_json(texts[k] ? texts[k] : "", t->out);
		free(texts[k]);
	}
	free(texts);
	fputs("]}", t->out);
}

/* The race and its two operations, and the end of a run that failed. */
static void put_specials(const struct rfs_html_table *t)
{
	char **texts, *end = rfs_html_end_texts(t, &texts);

	if (end)
		put_special(t, "end", texts, end);
	if (t->race == SIZE_MAX)
		return;
	fprintf(t->out, ",\n\"step\":%zu,\n\"racing\":[", t->race);
	for (int s = 0, n = 0; s < 2; s++)
		for (size_t i = t->race; i < t->holds.n; i++)
			if (rfs_html_is_side(t->holds.names, i, s)) {
				fprintf(t->out, "%s%zu", n++ ? "," : "", i);
				break;
			}
	fputc(']', t->out);
	put_special(t, "race", rfs_html_race_texts(t), rfs_html_race_at(t));
}

static void put_tables(const struct data *d)
{
	FILE *out = d->table->out;

	fputs(",\n\"locks\":[", out);
	for (const struct rfs_html_lock *lock = d->table->holds.locks; lock; lock = lock->hh.next) {
		rfs_markup_json(lock->name, out);
		fputs(lock->hh.next ? "," : "", out);
	}
	fputs("],\n\"texts\":[", out);
	for (const struct shared_text *shared = d->texts; shared; shared = shared->hh.next) {
		rfs_markup_json(shared->text, out);
		fputs(shared->hh.next ? ",\n" : "", out);
	}
	fputc(']', out);
}

static void data_release(struct data *d)
{
	struct shared_text *shared, *next;

	HASH_ITER (hh, d->texts, shared, next) {
		HASH_DEL(d->texts, shared);
		free(shared->text);
		free(shared);
	}
	free(d->cells);
}

void rfs_html_write_data(struct rfs_html_table *t)
{
	struct data d = {.table = t, .cells = xcalloc(t->holds.n_lanes * (t->slots + 1), sizeof(*d.cells))};
	char *operations, *sites, *changes;
	size_t size;

	d.operations = xopen_memstream(&operations, &size);
	d.sites = xopen_memstream(&sites, &size);
	d.changes = xopen_memstream(&changes, &size);
	for (size_t i = 0; i < t->holds.n; i++) {
		if (!rfs_html_gives_up(&t->holds.entries[i]))
			rfs_html_holds_apply(&t->holds, i);
		if (is_in_data(t, i))
			put_operation(&d, i);
		if (rfs_html_gives_up(&t->holds.entries[i]))
			rfs_html_holds_apply(&t->holds, i);
	}
	for (size_t k = 0; k < t->holds.n_lanes; k++)
		put_changes(&d, k); /* what the row after the last operation shows */
	fclose(d.operations);
	fclose(d.sites);
	fclose(d.changes);
	fprintf(t->out, "<script type=\"application/json\" id=\"run\">{\"lanes\":%zu,\"slots\":%u,\"narrow\":%s",
		t->holds.n_lanes, t->slots, t->narrow ? "true" : "false");
	put_ranges(t, "parts", is_in_data);
	put_ranges(t, "folds", is_folded);
	put_specials(t);
	put_tables(&d);
	fprintf(t->out, ",\n\"sites\":[%s],\n\"changes\":[%s],\n\"operations\":[%s]}</script>\n", sites,
		*changes ? changes + 1 : "", operations);
	free(operations);
	free(sites);
	free(changes);
	data_release(&d);
}
