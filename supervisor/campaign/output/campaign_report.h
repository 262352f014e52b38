/*
 * campaign_report.h - copies the state of a campaign into a struct rfs_report, as names and numbers for the room
 * report/.
 */
#ifndef RFS_CAMPAIGN_REPORT_H
#define RFS_CAMPAIGN_REPORT_H

struct rfs_campaign;
struct rfs_report;

void rfs_campaign_report(struct rfs_campaign *c, struct rfs_report *report);

#endif
