/* spin.h - threads that wait by reading memory in a loop. */
#ifndef RFS_SPIN_H
#define RFS_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_site_hook;
struct rfs_part;

/* The thread is at a spin read: parks it. */
enum rfs_then rfs_spin_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
			   const struct rfs_part *part);
/* Counts one more access that is no visible operation. True if the thread turns out to spin; the run has ended then. */
bool rfs_spin_suspect(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site,
		      const struct rfs_part *part);
/* A hash of the thread's registers and of the stack near its end. */
uint64_t rfs_spin_state(struct rfs_run *run, struct rfs_thread *thread);
/* Ends the run, which must be made again with this site as a spin read. */
void rfs_spin_found(struct rfs_run *run, rfs_site site);

#endif
