/* before_main.h - finds the start of main, and makes everything before main independent of the seed. */
#ifndef RFS_BEFORE_MAIN_H
#define RFS_BEFORE_MAIN_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;
struct rfs_hook;
struct rfs_breakpoint;

#define RFS_AT_RANDOM_SIZE 16
/* Fills in the bytes of AT_RANDOM, which are the same in every run. */
void rfs_before_main(unsigned char at_random[RFS_AT_RANDOM_SIZE]);
/*
 * Call this when main begins, or when it turns out that the address of main is unknown. From now on, random bytes
 * depend on the seed.
 */
void rfs_seed_counts(struct rfs_run *run);
/* The thread is at the entry of __libc_start_main: sets a breakpoint at main. */
enum rfs_then rfs_enter_start_main(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/*
 * Call this when the thread is at the first instruction of main. Returns true if the run ends here, because its
 * target is the original of a fork server.
 */
bool rfs_main_begins(struct rfs_run *run, struct rfs_thread *thread, struct rfs_hook *hook,
		     struct rfs_breakpoint *breakpoint);

#endif
