/*
 * campaign_report.h - copies the state of a campaign into a struct rfs_report, as names and numbers for the room
 * report/.
 */
#ifndef RFS_CAMPAIGN_REPORT_H
#define RFS_CAMPAIGN_REPORT_H

struct rfs_campaign;
struct rfs_pair;
struct rfs_report;
struct rfs_report_pair;

void rfs_campaign_report(struct rfs_campaign *c, struct rfs_report *report);
/* Fills *out for one pair in its current state; zeroes *out first. */
void rfs_campaign_report_pair(struct rfs_campaign *c, const struct rfs_pair *pair, struct rfs_report_pair *out);

#endif
