/*
 * server_copy.c - the state of a run that stands at main, for a copy of its program that goes on from there. Hooks are
 * shared: after main nothing changes in one that a run would notice. What a module or a site is belongs to the
 * original, which lives longer.
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/access/recorded_calls.h"
#include "supervisor/access/stubs.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/server/server-priv.h"
#include "supervisor/state/heap_blocks.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/partial_order.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/trace.h"
#include "supervisor/sync/before_main.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

static void *duplicate(const void *from, size_t n, size_t size)
{
	void *to = xcalloc(n ? n : 1, size);

	if (n)
		memcpy(to, from, n * size);
	return to;
}

static void copy_modules(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to)
{
	struct rfs_module *const *modules;
	size_t n = rfs_modules(rfs_task_space(task), &modules);

	to->modules = xcalloc(from->n_modules, sizeof(*to->modules));
	to->n_modules = from->n_modules;
	for (size_t i = 0; i < from->n_modules; i++) {
		to->modules[i] = duplicate(from->modules[i], 1, sizeof(*to->modules[i]));
		to->modules[i]->path = xstrdup(from->modules[i]->path);
	}
	for (size_t i = 0; i < n; i++) {
		const struct rfs_module_info *info = modules[i]->data;

		modules[i]->data = to->modules[info->number];
	}
}

static void copy_thread(const struct rfs_thread *from, struct rfs_task *task, struct rfs_run *to)
{
	struct rfs_thread *t = duplicate(from, 1, sizeof(*t));

	t->task = task;
	rfs_kernel_thread_copy(to, from, t);
	t->holds = duplicate(from->holds, from->n_holds, sizeof(*t->holds));
	t->returns = duplicate(from->returns, from->n_returns, sizeof(*t->returns));
	t->access = (struct rfs_access_state){0};
	rfs_task_set_data(task, t);
	to->threads = xcalloc(1, sizeof(*to->threads));
	to->view = xcalloc(1, sizeof(*to->view));
	to->threads[to->n_threads++] = t;
}

static void copy_memory(const struct rfs_run *from, struct rfs_run *to)
{
	struct rfs_block *block, *next_block;
	struct rfs_address_set *atomic, *next_atomic;

	HASH_ITER (hh, from->blocks, block, next_block) {
		struct rfs_block *copy = duplicate(block, 1, sizeof(*copy));

		HASH_ADD(hh, to->blocks, address, sizeof(copy->address), copy);
	}
	HASH_ITER (hh, from->atomics, atomic, next_atomic) {
		struct rfs_address_set *copy = duplicate(atomic, 1, sizeof(*copy));

		HASH_ADD(hh, to->atomics, address, sizeof(copy->address), copy);
	}
}

static void copy_result(const struct rfs_run *from, struct rfs_run *to)
{
	const struct rfs_run_result *before = from->result;
	struct rfs_run_result *result = to->result;

	result->steps = before->steps;
	result->accesses = before->accesses;
	memcpy(result->reached, before->reached, sizeof(result->reached));
	for (size_t i = 0; i < before->n_warnings; i++)
		rfs_run_warn(to, "%s", before->warnings[i]);
}

void rfs_run_copy(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to)
{
	copy_modules(from, task, to);
	copy_thread(from->threads[0], task, to);
	copy_memory(from, to);
	copy_result(from, to);
	rfs_trace_copy(from, to);
	rfs_partial_order_copy(from, to);
	to->now = from->now;
	to->horizon = from->horizon;
	to->next_message = from->next_message;
	to->next_order = from->next_order;
	rfs_kernel_copy(from, to);
	to->lends = from->lends;
	to->unknown_code = from->unknown_code;
	to->reads_tsc = from->reads_tsc;
	to->operands = duplicate(from->operands, from->n_operands, sizeof(*to->operands));
	to->n_operands = from->n_operands;
	to->recorded = duplicate(from->recorded, from->n_recorded, sizeof(*to->recorded));
	to->n_recorded = from->n_recorded;
	to->fn_lock = from->fn_lock;
	to->fn_unlock = from->fn_unlock;
	to->fn_testcancel = from->fn_testcancel;
	rfs_seed_counts(to);
}
