/* saved_run_report.h - adds the output of a saved run, and the place of its failure, to a report. */
#ifndef RFS_SAVED_RUN_REPORT_H
#define RFS_SAVED_RUN_REPORT_H

#include <stddef.h>

struct rfs_campaign;
struct rfs_object;
struct rfs_report_strings;
struct rfs_run_result;
struct rfs_saved_run;
struct rfs_report_shown;

/* Nothing is filled in if the run did not fail. */
void rfs_saved_run_report_fill(struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_report_shown *out);
/* What --faults let happen in the run, as lines. Caller frees; NULL: nothing. */
char *rfs_saved_run_report_faults(struct rfs_campaign *c, const struct rfs_run_result *result);
/* Adds the names of objects, such as the locks that a thread holds. */
void rfs_report_objects(struct rfs_campaign *c, const struct rfs_object *objects, size_t n,
			struct rfs_report_strings *out);
/* Why a run that hangs is called so. Caller frees. */
char *rfs_report_hang(const struct rfs_run_result *result);
/* Adds what a sanitizer reported in this run. */
void rfs_report_said(struct rfs_campaign *c, const struct rfs_saved_run *run, struct rfs_report_strings *out);

#endif
