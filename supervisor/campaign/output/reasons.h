/* reasons.h - why a campaign is incomplete, as a line of the report. */
#ifndef RFS_REASONS_H
#define RFS_REASONS_H

#include <stdbool.h>

struct rfs_campaign;
struct rfs_report;

/* Call at the very end: stories may be left out too. */
void rfs_reasons_add(const struct rfs_campaign *c, struct rfs_report *report);
/* Whether the budget ended before all that was planned. */
bool rfs_reasons_was_cut(const struct rfs_campaign *c);
/* The most frequent failure of the baseline runs; NULL: none failed. Caller frees. */
char *rfs_plain_failure(const struct rfs_campaign *c);

#endif
