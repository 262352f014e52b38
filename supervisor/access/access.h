#ifndef RFS_ACCESS_H
#define RFS_ACCESS_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_site_hook;
struct rfs_breakpoint;

enum rfs_then rfs_site_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
			   struct rfs_breakpoint *breakpoint);

#endif
