/* next.h - the command that continues a campaign that the budget has ended too early. */
#ifndef RFS_CAMPAIGN_NEXT_H
#define RFS_CAMPAIGN_NEXT_H

struct rfs_campaign;
struct rfs_report;

/*
 * Sets the command in the report, if the campaign left something out. If predictions were not tried, they are written
 * to the file next.txt of the output folder, which the command names. Call it after the reasons (reasons.h).
 */
void rfs_next_add(struct rfs_campaign *c, struct rfs_report *report);

#endif
