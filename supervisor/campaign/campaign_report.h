/* campaign_report.h - from the state of a campaign to the plain data that reports are written from. */
#ifndef RFS_CAMPAIGN_REPORT_H
#define RFS_CAMPAIGN_REPORT_H

struct rfs_campaign;
struct rfs_pair;
struct rfs_report;
struct rfs_report_pair;

void rfs_campaign_report(struct rfs_campaign *c, struct rfs_report *report);
/* One pair as it stands now: *out is zeroed before. */
void rfs_campaign_report_pair(struct rfs_campaign *c, const struct rfs_pair *pair, struct rfs_report_pair *out);

#endif
