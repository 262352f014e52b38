/*
 * server_copy.c - copies the state of a run that is stopped at main, for a copy of the target.
 *
 * Hooks are not copied. A copy uses the hooks of the original, because after main no run depends on a change in a hook.
 * A copy also borrows the data about modules and sites from the original, which lives longer than the copies.
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/stubs.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/stops/processes.h"
#include "supervisor/server/server-priv.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/trace.h"
#include "supervisor/sync/before_main.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/tracer.h"

#include "policy/policy.h"

static void *server_copy_duplicate(const void *from, size_t n, size_t size)
{
	void *to = xcalloc(n ? n : 1, size);

	if (n)
		memcpy(to, from, n * size);
	return to;
}

static void copy_thread(const struct rfs_thread *from, struct rfs_task *task, struct rfs_run *to)
{
	struct rfs_thread *t = server_copy_duplicate(from, 1, sizeof(*t));

	t->task = task;
	rfs_sync_thread_copy(&from->sync, &t->sync);
	t->tid = t->sync.tid = rfs_pids_add(to, rfs_task_tid(task));
	rfs_kernel_thread_copy(from, t);
	t->returns = server_copy_duplicate(from->returns, from->n_returns, sizeof(*t->returns));
	t->access = (struct rfs_access_state){0};
	rfs_task_set_data(task, t);
	to->threads = xcalloc(1, sizeof(*to->threads));
	to->view = xcalloc(2, sizeof(*to->view));
	to->threads[to->n_threads++] = t;
	rfs_sync_add(&to->sync, &t->sync);
}

static void copy_result(const struct rfs_run *from, struct rfs_run *to)
{
	const struct rfs_run_result *before = from->result;
	struct rfs_run_result *result = to->result;

	result->counts.steps = before->counts.steps;
	result->counts.accesses = before->counts.accesses;
	result->counts.early = before->counts.early;
	memcpy(result->reached, before->reached, sizeof(result->reached));
	result->refused = before->refused;
	for (size_t i = 0; i < before->n_warnings; i++)
		rfs_run_warn(to, "%s", before->warnings[i]);
	result->misuses = xcalloc(before->n_misuses ? before->n_misuses : 1, sizeof(*result->misuses));
	for (size_t i = 0; i < before->n_misuses; i++)
		rfs_misuse_copy(&before->misuses[i], &result->misuses[result->n_misuses++]);
}

void rfs_run_copy(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to)
{
	rfs_infos_copy(from, task, to);
	copy_thread(from->threads[0], task, to);
	rfs_heap_copy(from, to);
	rfs_aliases_copy(from, to);
	rfs_objects_copy(from->objects, &to->objects);
	rfs_address_set_join(&to->atomics, from->atomics);
	rfs_address_set_join(&to->code_pages, from->code_pages);
	rfs_address_set_join(&to->written_locks, from->written_locks);
	rfs_stubs_copy(from, to);
	to->ocaml_lock = from->ocaml_lock;
	rfs_word_locks_copy(from->word_locks, to->word_locks);
	rfs_recorded_calls_copy(from, to);
	copy_result(from, to);
	rfs_trace_copy(from, to);
	rfs_partial_order_copy(from, to);
	to->time.now = from->time.now;
	to->time.horizon = from->time.horizon;
	to->loop.waited_steps = from->loop.waited_steps;
	rfs_sync_copy(&from->sync, &to->sync);
	to->n_object_stacks = from->n_object_stacks;
	to->frame_lives = from->frame_lives;
	rfs_kernel_copy(from, to);
	to->tsc = from->tsc;
	to->asan = from->asan;
	to->msan = from->msan;
	to->explains = from->explains;
	rfs_pthread_copy(from, to);
	rfs_processes_open(to);
	rfs_seed_counts(to);
}
