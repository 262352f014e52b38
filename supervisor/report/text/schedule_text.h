/* schedule_text.h - prints a schedule for people: which thread ran when, at which lines, and what it read and wrote. */
#ifndef RFS_SCHEDULE_TEXT_H
#define RFS_SCHEDULE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rfs_trace_entry;
struct rfs_trace_stacks;
struct rfs_run_result;
struct rfs_symbols;

/* The number of lines of one screen, minus those that are printed before and after a schedule. */
#define RFS_SCHEDULE_SCREEN 40

/* The n operations of a run. All members are of the same run, and borrowed. */
struct rfs_schedule {
	struct rfs_symbols *symbols;
	const struct rfs_run_result *result;
	const struct rfs_trace_entry *trace;
	size_t n;
	const struct rfs_trace_stacks *stacks; /* NULL: the trace has none */
};

/*
 * Writes about `lines` lines: early operations are left out, and long stretches of one thread are cut in the middle.
 * The two operations of a created race stay.
 */
void rfs_schedule_text_write(const struct rfs_schedule *schedule, size_t lines, FILE *out);
/* Operation i and its line: "thread 1: lock L at x.c:12". Caller frees. */
char *rfs_schedule_text_operation(const struct rfs_schedule *schedule, size_t i);
/*
 * An operation that is no access, and what became of it: "cond-wake c (times out)". A call that is only an operation
 * because it may fail has the name of its fault. object: may be NULL. Caller frees.
 */
char *rfs_schedule_text_call(const struct rfs_trace_entry *entry, const char *object);
/* How often the thread changes in the n operations. */
uint64_t rfs_schedule_text_switches(const struct rfs_trace_entry *trace, size_t n);

#endif
