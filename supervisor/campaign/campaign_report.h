/* campaign_report.h - converts the state of a campaign to the plain data of struct rfs_report. */
#ifndef RFS_CAMPAIGN_REPORT_H
#define RFS_CAMPAIGN_REPORT_H

struct rfs_campaign;
struct rfs_pair;
struct rfs_report;
struct rfs_report_pair;

void rfs_campaign_report(struct rfs_campaign *c, struct rfs_report *report);
/* One pair in its current state; zeroes *out first. */
void rfs_campaign_report_pair(struct rfs_campaign *c, const struct rfs_pair *pair, struct rfs_report_pair *out);

#endif
