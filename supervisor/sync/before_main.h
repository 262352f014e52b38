#ifndef RFS_BEFORE_MAIN_H
#define RFS_BEFORE_MAIN_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;
struct rfs_hook;
struct rfs_breakpoint;

#define RFS_AT_RANDOM_SIZE 16
/* The run begins: AT_RANDOM's bytes. */
void rfs_before_main(unsigned char at_random[RFS_AT_RANDOM_SIZE]);
/* main begins, or it is not known where it is: random bytes are the seed's from now on. */
void rfs_seed_counts(struct rfs_run *run);
enum rfs_then rfs_enter_start_main(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* The thread stands before main. True where the run stops here. */
bool rfs_main_begins(struct rfs_run *run, struct rfs_thread *thread, struct rfs_hook *hook,
		     struct rfs_breakpoint *breakpoint);

#endif
