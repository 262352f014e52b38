#ifndef RFS_OUTCOME_H
#define RFS_OUTCOME_H

#include "supervisor/record/run_result.h"

struct rfs_run;

void rfs_run_end(struct rfs_run *run, enum rfs_run_end end, int detail);
void rfs_run_uncontrolled(struct rfs_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rfs_run_warn(struct rfs_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
