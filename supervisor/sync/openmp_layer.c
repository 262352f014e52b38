/* openmp_layer.c - what a run knows of OpenMP, for the handlers of libgomp's functions (openmp_calls.c). */
#include "supervisor/sync/openmp_layer.h"

#include <stdlib.h>
#include <xxhash.h>

#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "supervisor/access/access.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/openmp.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "tracer/breakpoint.h"
#include "tracer/tracer.h"

static void openmp_layer_emit(void *arg, enum rfs_event_kind kind, uint64_t message)
{
	struct rfs_openmp_layer *layer = arg;

	if (layer->speaker)
		rfs_emit_kind(layer->run, layer->speaker, kind, rfs_message(RFS_MESSAGE_OPENMP, message));
}

struct rfs_openmp_layer *rfs_openmp_layer_of(struct rfs_run *run)
{
	if (!run->openmp) {
		run->openmp = xcalloc(1, sizeof(*run->openmp));
		run->openmp->run = run;
		run->openmp->taker = -1;
		run->openmp->model = rfs_openmp_new(openmp_layer_emit, run->openmp);
	}
	return run->openmp;
}

struct rfs_openmp *rfs_openmp_of(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_openmp_layer *layer = rfs_openmp_layer_of(run);

	layer->speaker = thread;
	return layer->model;
}

rfs_addr rfs_openmp_region_of(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_openmp_region(rfs_openmp_of(run, thread), thread->number);
}

static unsigned ready_taker(struct rfs_run *run, struct rfs_thread *thread)
{
	bool yields = thread->args[1] && rfs_openmp_layer_of(run)->taker == thread->number;

	return RFS_THREAD_ENABLED | (yields ? RFS_THREAD_YIELDED : 0);
}

enum rfs_then rfs_openmp_park_taker(struct rfs_run *run, struct rfs_thread *thread, rfs_site site, rfs_addr object,
				    rfs_go_fn go)
{
	const uint64_t coin[] = {run->spec->seed, (uint64_t)thread->number, thread->operations};

	thread->args[1] = XXH64(coin, sizeof(coin), 0) & 1;
	return rfs_park(run, thread, rfs_op_make(RFS_OP_TRYLOCK, site, object), ready_taker, go);
}

void rfs_openmp_taken(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_openmp_layer_of(run)->taker = thread->number;
}

void rfs_openmp_release(struct rfs_run *run)
{
	if (!run->openmp)
		return;
	run->openmp->speaker = NULL; /* nobody listens any more */
	rfs_openmp_free(run->openmp->model);
	free(run->openmp);
	run->openmp = NULL;
}

enum rfs_then rfs_openmp_begin_code(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_breakpoint *breakpoint =
		rfs_breakpoint_at(rfs_task_space(thread->task), rfs_task_regs(thread->task)->rip);
	const struct rfs_hook *hook = breakpoint ? rfs_breakpoint_data(breakpoint) : NULL;

	return hook && hook->site ? rfs_site_hit(run, thread, hook->site, breakpoint) : RFS_THEN_EXECUTE;
}

/*
 * A function that libgomp calls may end with a jump to this one, which leaves an address in libgomp on the stack as
 * well. But libgomp calls such a function through a pointer, and its own functions directly.
 */
bool rfs_openmp_calls_itself(const struct rfs_run *run, struct rfs_thread *thread)
{
	const rfs_addr back = rfs_call_back(run, thread);
	const struct rfs_module_info *info = rfs_info_at(run, back);
	uint8_t call[5];

	return info && info->openmp &&
	       rfs_elf_read(info->elf, back - info->bias - sizeof(call), call, sizeof(call)) == sizeof(call) &&
	       call[0] == 0xe8;
}
