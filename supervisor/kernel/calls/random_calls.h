/* random_calls.h - random bytes, from a sequence that the seed determines. */
#ifndef RFS_RANDOM_CALLS_H
#define RFS_RANDOM_CALLS_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;

enum rfs_then rfs_sys_getrandom(struct rfs_run *run, struct rfs_thread *thread);
/* Answers a read of /dev/random or /dev/urandom. */
enum rfs_then rfs_read_random(struct rfs_run *run, struct rfs_thread *thread);

#endif
