#ifndef RFS_ACCESS_H
#define RFS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_site_hook;
struct rfs_breakpoint;

enum rfs_then rfs_site_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
			   struct rfs_breakpoint *breakpoint);
/* The hardware reads and writes so many bytes in one piece. */
bool rfs_access_is_word(uint64_t size);

#endif
