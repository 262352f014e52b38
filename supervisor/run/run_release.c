/* run_release.c - ends the target and the plugins of a run, and lets each room free what it keeps of the run. */
#include "supervisor/run/run_release.h"

#include <stdlib.h>

#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/access/access_release.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/stops/children.h"
#include "supervisor/run/stops/processes.h"
#include "supervisor/run/stops/watchdog.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/atomicity.h"
#include "supervisor/state/operations/shared_things.h"
#include "supervisor/state/operations/state_release.h"
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
	rfs_atomicity_close(run);
	if (run->detector)
		run->spec->detector->fini(run->detector);
	if (run->served.as != RFS_SERVED_COPY)
		rfs_decoder_free(run->decoder);
	rfs_pthread_release(run);
	for (size_t i = 0; i < run->n_threads; i++) {
		rfs_access_drop(run->threads[i]);
		rfs_kernel_thread_release(run->threads[i]);
		free(run->threads[i]->returns);
	}
	rfs_children_release(run);
	rfs_processes_release(run);
	rfs_watchdog_release(run);
	rfs_access_release(run);
	rfs_state_release(run);
	/* the model reads its part of each thread until it is released */
	for (size_t i = 0; i < run->n_threads; i++)
		free(run->threads[i]);
	free(run->threads);
	free(run->view);
}
