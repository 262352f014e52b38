/* unmapped.c - a list of ranges, which is emptied when each has its new life. kernel/syscalls.c says when that is. */
#include "supervisor/kernel/calls/unmapped.h"

#include <stddef.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/operations/events.h"

struct rfs_unmapped {
	struct {
		rfs_addr address;
		uint64_t size;
	} * list;
	size_t n;
};

void rfs_unmapped_add(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size)
{
	struct rfs_unmapped *unmapped = run->kernel->unmapped;

	if (!run->spec->detector || !run->spec->predicts_violations) {
		rfs_emit_reset(run, thread, address, size);
		return;
	}
	if (!unmapped)
		unmapped = run->kernel->unmapped = xcalloc(1, sizeof(*unmapped));
	if ((unmapped->n & (unmapped->n - 1)) == 0)
		unmapped->list =
			xreallocarray(unmapped->list, unmapped->n ? 2 * unmapped->n : 1, sizeof(*unmapped->list));
	unmapped->list[unmapped->n].address = address;
	unmapped->list[unmapped->n++].size = size;
}

void rfs_unmapped_renew(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_unmapped *unmapped = run->kernel->unmapped;

	for (size_t i = 0; unmapped && i < unmapped->n; i++)
		rfs_emit_reset(run, thread, unmapped->list[i].address, unmapped->list[i].size);
	if (unmapped)
		unmapped->n = 0;
}

void rfs_unmapped_release(struct rfs_run *run)
{
	if (run->kernel->unmapped)
		free(run->kernel->unmapped->list);
	free(run->kernel->unmapped);
}
