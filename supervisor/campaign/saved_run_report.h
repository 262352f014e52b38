/* saved_run_report.h - adds the output of a saved run, and the place of its failure, to a report. */
#ifndef RFS_SAVED_RUN_REPORT_H
#define RFS_SAVED_RUN_REPORT_H

struct rfs_campaign;
struct rfs_run_result;
struct rfs_saved_run;
struct rfs_report_shown;

/* Nothing is filled in if the run did not fail. */
void rfs_saved_run_report_fill(struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_report_shown *out);
/* What --faults let happen in the run, as lines. Caller frees; NULL: nothing. */
char *rfs_saved_run_report_faults(struct rfs_campaign *c, const struct rfs_run_result *result);

#endif
