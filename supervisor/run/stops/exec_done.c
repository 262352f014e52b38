/* exec_done.c - an exec of the target: what the run knows of the old program is forgotten. */
#include "supervisor/run/stops/exec_done.h"

#include <stdint.h>

#include "supervisor/access/calls/call.h"
#include "supervisor/access/generated_code.h"
#include "supervisor/access/hot_statements.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/base/address_set.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/run/stops/loaded_modules.h"
#include "supervisor/run/stops/thread_begins.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

enum rfs_then rfs_exec_done(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_thread *t = rfs_task_data(stop->task);
	struct rfs_mapping stack;

	if (!t)
		t = rfs_thread_seen(run, stop->task, NULL);
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i] != t)
			rfs_thread_ended(run, run->threads[i]);
	t->task = stop->task;
	t->tid = t->sync.tid = rfs_pids_add(run, rfs_task_tid(stop->task));
	for (size_t i = 0; i < run->n_modules; i++)
		run->modules[i]->gone = true;
	rfs_gdb_forget(run, 0, RFS_NEVER);
	rfs_tsc_insns_trap(run, t->task);
	run->tsc = (struct rfs_tsc_state){0};
	rfs_address_set_release(&run->code_pages);
	rfs_generated_release(run);
	run->asan = run->msan = run->explains = false;
	rfs_pthread_release(run);
	run->loop.dying = false;
	t->tls = t->clear_tid = 0;
	t->n_returns = 0;
	rfs_sync_thread_exec(&t->sync);
	run->ocaml_lock = 0;
	rfs_words_reset(run->word_locks, 0, UINT64_MAX);
	rfs_lock_order_exec(run);
	rfs_objects_release(&run->objects);
	rfs_aliases_release(run);
	rfs_access_drop(t);
	rfs_stores_drop(run);
	rfs_hot_exec(run);
	rfs_signals_exec(run);
	rfs_timers_executed(run, rfs_task_pid(t->task));
	if (rfs_space_mapping(rfs_task_space(t->task), rfs_task_regs(t->task)->rsp, &stack)) {
		t->stack_low = stack.start;
		t->stack_high = stack.end;
	}
	rfs_stubs_open(run, t);
	rfs_loaded_modules_update(run, t);
	return RFS_THEN_EXECUTE;
}
