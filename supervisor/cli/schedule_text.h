/* schedule_text.h - prints a run for people: which thread ran from where to where, and what it read and wrote. */
#ifndef RFS_SCHEDULE_TEXT_H
#define RFS_SCHEDULE_TEXT_H

#include <stdio.h>

struct rfs_trace_entry;
struct rfs_run_result;
struct rfs_symbols;

/* trace: of the run that gave result. Writes at most one screen: long stretches are cut in the middle. */
void rfs_schedule_text_write(struct rfs_symbols *symbols, const struct rfs_run_result *result,
			     const struct rfs_trace_entry *trace, size_t n, FILE *out);

#endif
