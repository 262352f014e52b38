/*
 * campaign.h - runs a campaign and fills its report. Its phases depend on the mode: predict, confirm and explore; only
 * confirm (--pairs); or only sampling (--policy). Baseline runs come first.
 */
#ifndef RFS_CAMPAIGN_H
#define RFS_CAMPAIGN_H

#include <stddef.h>

struct rfs_campaign_settings;
struct rfs_report;

/*
 * Runs the campaign and fills *report. The caller has initialised *report. The function always completes *report with
 * rfs_report_finish(), even after an error. 0, or -errno and a line in why: the campaign could not start, or it ended
 * early because an execution could not be started.
 */
int rfs_campaign_run(const struct rfs_campaign_settings *settings, struct rfs_report *report, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
