/* openmp_team.h - parallel regions, barriers and work-sharing; handlers for the table in openmp_calls.c. */
#ifndef RFS_OPENMP_TEAM_H
#define RFS_OPENMP_TEAM_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/* The thread is at the entry of a function of this kind; call->param says which form. */
enum rfs_then rfs_enter_omp_parallel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_parallel_end(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_copy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_share(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_ordered(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_doacross(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

#endif
