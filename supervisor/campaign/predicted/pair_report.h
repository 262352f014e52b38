/* pair_report.h - copies a pair with the results of its runs into a report. */
#ifndef RFS_PAIR_REPORT_H
#define RFS_PAIR_REPORT_H

struct rfs_campaign;
struct rfs_pair;
struct rfs_report_pair;

/* Fills *out, which is zeroed, for one pair in its current state. */
void rfs_pair_report_fill(struct rfs_campaign *c, const struct rfs_pair *pair, struct rfs_report_pair *out);

#endif
