/* hooks.c - what each breakpoint of a run is for: one struct rfs_hook for each address. */
#include "supervisor/access/calls/hooks.h"

#include <errno.h>
#include <stdlib.h>

#include "disasm/addr.h"
#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/breakpoint.h"
#include "tracer/tracer.h"

struct rfs_hook *rfs_hook_of(struct rfs_run *run, struct rfs_breakpoint *bp)
{
	struct rfs_hook *hook = rfs_breakpoint_data(bp);

	if (hook)
		return hook;
	hook = xcalloc(1, sizeof(*hook));
	hook->next = run->hooks;
	run->hooks = hook;
	rfs_breakpoint_set_data(bp, hook);
	return hook;
}

struct rfs_hook *rfs_hook_at(struct rfs_run *run, struct rfs_task *task, rfs_addr address)
{
	struct rfs_breakpoint *bp = rfs_breakpoint_at(rfs_task_space(task), address);

	if (!bp && rfs_recorded_calls_remove_patches(run, task, address, address + 1))
		bp = rfs_breakpoint_at(rfs_task_space(task), address);
	/* a breakpoint without a hook is the debugger's, which may remove it at any time */
	if ((!bp || !rfs_breakpoint_data(bp)) && rfs_breakpoint_add(task, address, &bp) != 0)
		return NULL;
	return rfs_hook_of(run, bp);
}

struct rfs_hook **rfs_hooks_at(struct rfs_run *run, struct rfs_task *task, const rfs_addr *addresses, size_t n)
{
	struct rfs_breakpoint **bps = xcalloc(n + 1, sizeof(struct rfs_breakpoint *));
	struct rfs_hook **hooks = xcalloc(n + 1, sizeof(struct rfs_hook *));

	if (rfs_breakpoint_add_many(task, addresses, n, bps) == -ENOMEM)
		die("out of memory");
	for (size_t i = 0; i < n; i++)
		hooks[i] = bps[i] ? rfs_hook_of(run, bps[i]) : NULL;
	free(bps);
	return hooks;
}

void rfs_hooks_release(struct rfs_run *run)
{
	while (run->hooks) {
		struct rfs_hook *next = run->hooks->next;

		free(run->hooks->site);
		free(run->hooks);
		run->hooks = next;
	}
}
