/* reasons.h - why a campaign is incomplete, as a line of the report. */
#ifndef RFS_REASONS_H
#define RFS_REASONS_H

struct rfs_campaign;
struct rfs_report;

/* Call at the very end: stories may be left out too. */
void rfs_reasons_add(const struct rfs_campaign *c, struct rfs_report *report);
/* The most frequent failure of the baseline runs; NULL: none failed. Caller frees. */
char *rfs_plain_failure(const struct rfs_campaign *c);

#endif
