/* run_life.c - a run from its spec to its result. */
#include "supervisor/run/run_life.h"

#include "policy/policy.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/address_name.h"
#include "supervisor/base/clock.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/run.h"
#include "supervisor/run/run_collect.h"
#include "supervisor/run/run_open.h"
#include "supervisor/run/run_release.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/operations/partial_order.h"

/* Whether the heap must be known for the names of addresses. */
static bool names_heap(const struct rfs_run_plan *plan)
{
	for (size_t i = 0; i < plan->n_addresses; i++)
		if (plan->addresses[i].kind == RFS_ADDRESS_HEAP)
			return true;
	return false;
}

void rfs_run_init(struct rfs_run *run, const struct rfs_run_spec *spec, struct rfs_run_result *out)
{
	const bool needs_heap =
		spec->detector || names_heap(&spec->plan) || (spec->policy->flags & RFS_POLICY_NEEDS_HEAP);

	*out = (struct rfs_run_result){0};
	*run = (struct rfs_run){
		.spec = spec,
		.result = out,
		.loop.started = rfs_clock(),
		.loop.started_cpu = rfs_clock_cpu(),
		.heap.tracked = needs_heap || spec->wanted.orders,
		.heap.for_order = !needs_heap && spec->wanted.orders,
		.follow.glob = spec->follow,
	};
	rfs_target_memory_open(run);
	rfs_stubs_init(run);
	rfs_word_locks_open(run);
	rfs_kernel_init(run);
	if (spec->wanted.orders)
		rfs_partial_order_new(run);
}

int rfs_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	struct rfs_run run;
	int error;

	rfs_run_init(&run, spec, out);
	error = rfs_run_begin(&run, rfs_syscalls_traced, why, n);
	if (!error) {
		rfs_run_loop(&run);
		if (run.follow.missed)
			error = rfs_follow_missed(&run.follow, spec->process.argv, why, n);
		else
			rfs_run_collect(&run);
	}
	rfs_run_release(&run);
	return error;
}
