/* schedule_text.h - a run told for people: which thread ran from where to where, and what was read and written on the
 * way. */
#ifndef RFS_STORY_H
#define RFS_STORY_H

#include <stdio.h>

struct rfs_trace_entry;
struct rfs_run_result;
struct rfs_symbols;

/* trace: of the run that result came from. Writes a screenful at the most: long stretches are cut in their middle. */
void rfs_schedule_text_write(struct rfs_symbols *symbols, const struct rfs_run_result *result,
			     const struct rfs_trace_entry *trace, size_t n, FILE *out);

#endif
