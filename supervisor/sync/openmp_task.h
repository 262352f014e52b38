/* openmp_task.h - tasks; handlers for the table in openmp_calls.c. */
#ifndef RFS_OPENMP_TASK_H
#define RFS_OPENMP_TASK_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/* The thread is at the entry of a function of this kind; call->param says which form. */
enum rfs_then rfs_enter_omp_task(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_taskwait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_taskgroup(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_taskyield(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_fulfil(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

#endif
