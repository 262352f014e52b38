/* run_release.c - frees what a run owns. */
#include "supervisor/run/run_release.h"

#include <stdlib.h>

#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/hot_statements.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/address_set.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/stops/children.h"
#include "supervisor/run/stops/watchdog.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/atomicity.h"
#include "supervisor/state/findings/hold_stacks.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/findings/program_output.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/shared_things.h"
#include "supervisor/state/operations/trace.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/tracer.h"

void rfs_run_release(struct rfs_run *run)
{
	if (run->tracer)
		rfs_tracer_free(run->tracer);
	rfs_trace_close(run);
	rfs_input_close(run);
	rfs_gdb_release(run);
	rfs_kernel_release(run);
	rfs_shared_release(run);
	if (run->policy && run->spec->policy->fini)
		run->spec->policy->fini(run->policy);
	rfs_stream_free(run->stream);
	rfs_address_set_release(&run->left_out);
	rfs_atomicity_close(run);
	if (run->detector)
		run->spec->detector->fini(run->detector);
	if (run->served.as != RFS_SERVED_COPY)
		rfs_decoder_free(run->decoder);
	rfs_sync_release(&run->sync);
	rfs_pthread_release(run);
	for (size_t i = 0; i < run->n_threads; i++) {
		rfs_access_drop(run->threads[i]);
		rfs_kernel_thread_release(run->threads[i]);
		free(run->threads[i]->returns);
		free(run->threads[i]);
	}
	free(run->threads);
	rfs_program_output_release(run);
	free(run->view);
	rfs_children_release(run);
	rfs_follow_release(&run->follow);
	rfs_infos_release(run);
	rfs_hooks_release(run);
	rfs_address_set_release(&run->atomics);
	rfs_address_set_release(&run->written_locks);
	rfs_watchdog_release(run);
	rfs_partial_order_free(run);
	rfs_heap_release(run);
	rfs_objects_release(&run->objects);
	rfs_stubs_release(run);
	rfs_hot_release(run);
	rfs_stores_release(run);
	rfs_faults_release(run);
	rfs_word_locks_close(run);
	rfs_lock_order_close(run);
	rfs_hold_stacks_close(run);
	rfs_quarantine_release(run);
	rfs_recorded_calls_release(run);
	rfs_target_memory_close(run);
}
