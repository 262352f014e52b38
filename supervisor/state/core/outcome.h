/* outcome.h - how a run ends, and the warnings for its user. */
#ifndef RFS_OUTCOME_H
#define RFS_OUTCOME_H

#include "supervisor/record/run_result.h"

struct rfs_run;

/* Ends the run. Only the first call counts. */
void rfs_run_end(struct rfs_run *run, enum rfs_run_end end, int detail);
/* Ends the run because rfsup cannot control the target. The text is the result's message. */
void rfs_run_uncontrolled(struct rfs_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a warning for the user to the result. The same line is added only once. */
void rfs_run_warn(struct rfs_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
