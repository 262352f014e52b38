/* hold_stack.c - reads the stack with the tracer. state/findings/hold_stacks.c keeps it. */
#include "supervisor/sync/hold_stack.h"

#include <stddef.h>

#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/hold_stacks.h"

void rfs_keep_hold_stack(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_place *places;
	size_t n;

	if (!rfs_hold_stacks_wanted(run))
		return;
	rfs_stack_places(run, thread, &places, &n);
	rfs_hold_stacks_keep(run, places, n);
}
