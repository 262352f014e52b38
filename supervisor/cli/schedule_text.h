/* schedule_text.h - prints a schedule for people: which thread ran when, at which lines, and what it read and wrote. */
#ifndef RFS_SCHEDULE_TEXT_H
#define RFS_SCHEDULE_TEXT_H

#include <stdio.h>

struct rfs_trace_entry;
struct rfs_run_result;
struct rfs_symbols;

/*
 * Writes the n operations of a run. `trace` and `result` belong to this run. Writes at most one screen: early
 * operations are left out, and long stretches of one thread are cut in the middle.
 */
void rfs_schedule_text_write(struct rfs_symbols *symbols, const struct rfs_run_result *result,
			     const struct rfs_trace_entry *trace, size_t n, FILE *out);

#endif
