/* spin.h - threads that wait by reading memory in a loop. */
#ifndef RFS_SPIN_H
#define RFS_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/operations.h"
#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_site_hook;
struct rfs_part;

/* Parks a thread that has arrived at a spin read. */
enum rfs_then rfs_spin_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
			   const struct rfs_part *part);
/* Counts an access that is not a visible operation. If the thread turns out to spin, ends the run and returns true. */
bool rfs_spin_suspect(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site,
		      const struct rfs_part *part);
/*
 * Counts an atomic load, which is a visible operation. If the thread turns out to spin, ends the run. Returns whether
 * the load finds what it found last time; the thread should then yield.
 */
bool rfs_spin_load(struct rfs_run *run, struct rfs_thread *thread, rfs_site site, const struct rfs_part *part);
/* A hash of the thread's registers and of the stack around its stack pointer. */
uint64_t rfs_spin_state(struct rfs_run *run, struct rfs_thread *thread);
/* Ends the run with RFS_END_RESTART: it must be made again with this site as a spin read. */
void rfs_spin_found(struct rfs_run *run, rfs_site site);

#endif
