/*
 * schedule_text.c - joins operations of one thread to stretches, and leaves out those that no other thread depends
 * on.
 */
#include "supervisor/report/text/schedule_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/record/fault.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/text/operation_names.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/*
 * If a stretch is cut, this many operations are shown at its start and at its end, because the thread was switched
 * there.
 */
#define HEAD 2
#define TAIL 2

struct story {
	struct rfs_operation_names names;
	const struct rfs_run_result *result;
	const struct rfs_trace_entry *trace;
	size_t n;
	FILE *out;
	/* the two operations of the race that the run created, which are always shown; n: the run has not executed it
	 */
	size_t racing[2];
};

/* A stretch: one thread executes trace[first] to trace[end - 1]. */
struct stretch {
	size_t first, end;
};

static const char *schedule_text_module(const void *run, size_t number)
{
	const struct rfs_run_result *result = run;

	return number < result->n_modules ? result->modules[number].path : NULL;
}

static struct story schedule_text_story(const struct rfs_schedule *schedule)
{
	return (struct story){
		.names = {schedule->symbols, schedule_text_module, schedule->result, schedule->trace, schedule->stacks},
		.result = schedule->result,
		.trace = schedule->trace,
		.n = schedule->n,
		.racing = {schedule->n, schedule->n},
	};
}

/* The name of the object of operation i; NULL if the operation has no object. Caller frees. */
static char *object_text(const struct story *s, size_t i)
{
	const struct rfs_trace_entry *entry = &s->trace[i];
	char *name = rfs_operation_object(&s->names, i);

	if (name)
		return name;
	switch (entry->name) {
	case RFS_NAME_STACK:
		return xasprintf("stack of thread %u", entry->index);
	case RFS_NAME_HEAP:
		return xasprintf("heap+0x%" PRIx64, entry->offset);
	default:
		return NULL;
	}
}

static char *value_text(const struct rfs_trace_entry *entry)
{
	uint64_t value = entry->value;
	int64_t number;

	if (entry->size == 0 || entry->size > sizeof(value))
		return xasprintf("%u bytes", entry->size);
	if (entry->size < sizeof(value))
		value &= (1ull << (8 * entry->size)) - 1;
	/* small numbers are shown in decimal with their sign, others (addresses) in hexadecimal */
	number = (int64_t)(value << (64 - 8 * entry->size)) >> (64 - 8 * entry->size);
	if (number >= -1000000000 && number <= 1000000000)
		return xasprintf("%" PRId64, number);
	return xasprintf("0x%" PRIx64, value);
}

/* How many operations of other threads the write was delayed for, which the entry makes visible; "" if for none. */
static char *delay_text(const struct story *s, const struct rfs_trace_entry *entry)
{
	uint64_t others = 0;

	for (const struct rfs_trace_entry *at = entry; at-- > s->trace;) {
		if (at->thread != entry->thread)
			others++;
		else if (at->site == entry->site && at->offset == entry->offset && at->name == entry->name &&
			 !(at->access & RFS_ACCESS_FLUSH))
			return others ? xasprintf(" (delayed by %" PRIu64 " operation%s of others)", others,
						  rfs_plural(others))
				      : xstrdup("");
	}
	return xstrdup("");
}

static const char *outcome_text(const struct rfs_trace_entry *entry)
{
	enum rfs_fault fault;

	if (entry->outcome == RFS_OUTCOME_TIMED_OUT)
		return " (times out)";
	if (entry->outcome == RFS_OUTCOME_FAULT && rfs_fault_of(entry->access, &fault))
		return rfs_fault_step(fault);
	return "";
}

char *rfs_schedule_text_call(const struct rfs_trace_entry *entry, const char *object)
{
	enum rfs_fault fault;
	char *name, *text;

	if (entry->kind == RFS_OP_START && entry->access) {
		char *who = rfs_thread_text(entry->thread, (int)entry->access);

		name = xasprintf("the %s begins", who);
		free(who);
	} else if (entry->kind == RFS_OP_POINT && rfs_fault_of(entry->access, &fault))
		name = xstrdup(rfs_fault_words[fault]);
	else
		name = rfs_op_text((enum rfs_op_kind)entry->kind, entry->access, object);
	text = xasprintf("%s%s", name, outcome_text(entry));
	free(name);
	return text;
}

static char *operation_text(const struct story *s, size_t i)
{
	const struct rfs_trace_entry *entry = &s->trace[i];
	char *object = object_text(s, i), *part, *text, *delay;

	if (entry->kind == RFS_TRACE_OUTPUT) {
		free(object);
		return xasprintf("writes %" PRIu64 " bytes of output", entry->offset);
	}
	if (rfs_op_is_access((enum rfs_op_kind)entry->kind) && (entry->access & RFS_ACCESS_CALL)) {
		text = xasprintf("calls %s", rfs_access_text(entry->access, RFS_ACCESS_NOUN));
	} else if (rfs_op_is_access((enum rfs_op_kind)entry->kind) && (entry->access & RFS_ACCESS_LIBRARY)) {
		text = xasprintf("%s %s", rfs_access_text(entry->access, RFS_ACCESS_STEP), object ? object : "memory");
	} else if (rfs_op_is_access((enum rfs_op_kind)entry->kind)) {
		part = value_text(entry);
		delay = entry->access & RFS_ACCESS_FLUSH ? delay_text(s, entry) : xstrdup("");
		text = xasprintf("%s %s: %s%s", rfs_access_text(entry->access, RFS_ACCESS_STEP),
				 object ? object : "memory", part, delay);
		free(delay);
		free(part);
	} else {
		text = rfs_schedule_text_call(entry, object);
	}
	free(object);
	return text;
}

static void schedule_text_write_operation(const struct story *s, size_t i, const char *who)
{
	struct rfs_source_place named = {0};
	char *text = operation_text(s, i), *where = NULL, *source = NULL;

	rfs_operation_place(&s->names, i, &named);
	if (named.module) {
		where = rfs_symbols_short(&named);
		source = named.file && named.line ? rfs_source_line(named.file, named.line) : NULL;
	}
	if (source)
		fprintf(s->out, "%-10s %-24s %-32s | %s\n", who, where ? where : "", text, source);
	else
		fprintf(s->out, "%-10s %-24s %s\n", who, where ? where : "", text);
	rfs_source_place_release(&named);
	free(source);
	free(where);
	free(text);
}

static struct stretch *stretches(const struct story *s, size_t *n)
{
	struct stretch *list = xcalloc(s->n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (i == 0 || s->trace[i].thread != s->trace[i - 1].thread)
			list[(*n)++].first = i;
		list[*n - 1].end = i + 1;
	}
	return list;
}

static bool is_racing(const struct story *s, size_t i)
{
	return i == s->racing[0] || i == s->racing[1];
}

static bool has_racing(const struct story *s, const struct stretch *stretch)
{
	bool has = false;

	for (int k = 0; k < 2; k++)
		has |= s->racing[k] >= stretch->first && s->racing[k] < stretch->end;
	return has;
}

/* Writes the stretch. Its operations from `head` to `tail` are left out, but for those of the race. */
static void write_stretch(const struct story *s, const struct stretch *stretch, size_t head, size_t tail)
{
	size_t left_out = 0;
	char who[24];

	snprintf(who, sizeof(who), "thread %u", s->trace[stretch->first].thread);
	for (size_t i = stretch->first; i < stretch->end; i++) {
		if (i >= head && i < tail && !is_racing(s, i)) {
			left_out++;
			continue;
		}
		if (left_out) {
			fprintf(s->out, "%-10s ... %zu more\n", who, left_out);
			who[0] = '\0';
		}
		left_out = 0;
		schedule_text_write_operation(s, i, who);
		who[0] = '\0';
	}
	if (left_out)
		fprintf(s->out, "%-10s ... %zu more\n", who, left_out);
}

static bool is_cut(const struct stretch *stretch)
{
	return stretch->end - stretch->first > HEAD + TAIL + 1;
}

static size_t lines_of(const struct stretch *stretch)
{
	return is_cut(stretch) ? HEAD + TAIL + 1 : stretch->end - stretch->first;
}

/* The operation with which the thread of this side made its access of the created race. */
static size_t racing_operation(const struct story *s, const struct rfs_evidence *side)
{
	uint64_t step = 0;
	size_t found = s->n;

	for (size_t i = 0; i < s->n; i++) {
		const struct rfs_trace_entry *entry = &s->trace[i];

		if (entry->kind >= RFS_OP_COUNT)
			continue;
		step++;
		if (entry->thread != side->thread || (entry->access & RFS_ACCESS_FLUSH) ||
		    !rfs_operation_is_at(&s->names, i, &side->site))
			continue;
		found = i;
		if (step > s->result->created.step)
			break;
	}
	return found;
}

void rfs_schedule_text_write(const struct rfs_schedule *schedule, size_t most, FILE *out)
{
	struct story s = schedule_text_story(schedule);
	const struct rfs_run_result *result = schedule->result;
	size_t count, begin, lines = 0, left_out = 0;
	struct stretch *list = stretches(&s, &count);

	s.out = out;
	for (int k = 0; k < 2 && result->n_created; k++)
		s.racing[k] = racing_operation(&s, &result->created.side[k]);
	/* the last stretches are shown, because the failure is at the end */
	for (begin = count; begin > 0 && lines + lines_of(&list[begin - 1]) <= most; begin--)
		lines += lines_of(&list[begin - 1]);
	if (begin == count && count)
		begin--;
	for (size_t i = 0; i < count; i++) {
		const bool early = i < begin;

		if (early && !has_racing(&s, &list[i])) {
			left_out++;
			continue;
		}
		if (left_out)
			fprintf(out, "... %zu %sswitch%s\n", left_out, i == left_out ? "earlier " : "",
				left_out == 1 ? "" : "es");
		left_out = 0;
		if (early)
			write_stretch(&s, &list[i], list[i].first, list[i].end);
		else if (is_cut(&list[i]))
			write_stretch(&s, &list[i], list[i].first + HEAD, list[i].end - TAIL);
		else
			write_stretch(&s, &list[i], list[i].end, list[i].end);
	}
	free(list);
}

uint64_t rfs_schedule_text_switches(const struct rfs_trace_entry *trace, size_t n)
{
	uint64_t count = 0;

	for (size_t i = 1; i < n; i++)
		count += trace[i].thread != trace[i - 1].thread;
	return count;
}

char *rfs_schedule_text_operation(const struct rfs_schedule *schedule, size_t i)
{
	const struct story s = schedule_text_story(schedule);
	struct rfs_source_place place;
	char *text = operation_text(&s, i), *line = NULL, *whole;

	rfs_operation_place(&s.names, i, &place);
	if (place.module)
		line = rfs_symbols_short(&place);
	whole = xasprintf("thread %u: %s%s%s", s.trace[i].thread, text, line ? " at " : "", line ? line : "");
	rfs_source_place_release(&place);
	free(line);
	free(text);
	return whole;
}
