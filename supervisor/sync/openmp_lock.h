/* openmp_lock.h - critical, atomic and OpenMP's locks; handlers for the table in openmp_calls.c. */
#ifndef RFS_OPENMP_LOCK_H
#define RFS_OPENMP_LOCK_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/* Which lock a call is about, for call->param. */
enum rfs_omp_lock {
	RFS_OMP_LOCK_ARGUMENT, /* its first argument is the address of the lock */
	RFS_OMP_LOCK_NESTED,   /* the same; the holder can acquire it again */
	RFS_OMP_LOCK_CRITICAL, /* the one lock of all critical constructs without a name */
	RFS_OMP_LOCK_ATOMIC,   /* the one lock of all atomic constructs that need a lock */
};

/* The thread is at the entry of a function of this kind. */
enum rfs_then rfs_enter_omp_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_unlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_trylock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_omp_lock_init(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

#endif
