/* access.h - what happens when a thread arrives at a statement of a watched module. */
#ifndef RFS_ACCESS_H
#define RFS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_part;
struct rfs_site_hook;
struct rfs_breakpoint;

/* Call when a thread has hit the breakpoint of a site. Parks the thread, or reports the accesses and lets it run. */
enum rfs_then rfs_site_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
			   struct rfs_breakpoint *breakpoint);
/* What op.statements says of this part of an access at the site (policy/policy.h). */
unsigned rfs_access_statements(const struct rfs_run *run, const struct rfs_thread *thread,
			       const struct rfs_site_hook *site, const struct rfs_part *part);

#endif
