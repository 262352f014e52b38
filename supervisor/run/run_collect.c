/* run_collect.c - completes the result of a run. */
#include "supervisor/run/run_collect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policy/detector_memory.h"
#include "policy/policy.h"
#include "supervisor/access/generated_code.h"
#include "supervisor/access/sites.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/clock.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/kernel/shared_calls.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/atomicity.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/findings/program_output.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/trace.h"
#include "tracer/tracer.h"

static void collect_stat(void *arg, const char *key, uint64_t value)
{
	struct rfs_run_result *result = arg;

	for (int i = 0; i < RFS_COUNTER_COUNT; i++)
		if (strcmp(key, rfs_policy_counter_key((enum rfs_policy_counter)i)) == 0)
			result->counters[i] = value;
	rfs_run_stats_add(&result->policy_stats, key, value);
}

static void drain_stream(struct rfs_run *run)
{
	rfs_stream_drain(run->stream);
	run->result->counts.accesses_recorded = rfs_stream_accesses(run->stream);
	run->result->counts.accesses += run->result->counts.accesses_recorded;
	run->result->counts.early += rfs_stream_early(run->stream);
	rfs_address_set_join(&run->atomics, rfs_stream_atomics(run->stream));
}

/* The size is rounded up, because it differs between schedules, and each warning is printed once. */
static void warn_of_code(struct rfs_run *run)
{
	uint64_t size = 4;

	if (!run->tsc.unwatched || !rfs_generated_is_missing(run))
		return;
	while (size << 10 < run->tsc.unwatched)
		size *= 2;
	rfs_run_warn(run,
		     "the program made code at run time (at most %" PRIu64
		     " KiB); rfsup does not watch all accesses of this code, so races of it may be missing",
		     size);
}

static void collect_memory(struct rfs_run *run)
{
	const struct rfs_detector_ops *detector = run->spec->detector;
	struct rfs_detector_memory *memory = &run->result->counts.memory;

	if (!detector->memory)
		return;
	*memory = detector->memory(run->detector);
	if (memory->forgotten)
		rfs_run_warn(run,
			     "the detector has reached its limit of %" PRIu64 " MiB of memory and has forgotten the "
			     "oldest accesses, so races may be missing (--memory)",
			     run->spec->memory >> 20);
}

/*
 * The run learnt a lock that its detector did not know, so its predictions may be wrong. The run is made again, unless
 * it was cut short or has created files, which a second start would meet. Then it predicts nothing; later runs do. The
 * end stays as it is: a replay is not made again, even if its original had created a file, which now exists.
 */
static void repeat_with_locks(struct rfs_run *run)
{
	struct rfs_run_result *result = run->result;

	if (result->end == RFS_END_TIMEOUT || result->end == RFS_END_CANCELLED || rfs_nondet_created(run))
		return;
	result->restart = RFS_RESTART_LOCK;
}

static void run_collect_predicted(struct rfs_run *run)
{
	rfs_evidence_predicted(run);
	rfs_lock_order_predicted(run);
	rfs_atomicity_predicted(run);
	if (run->spec->wanted.n_covers)
		rfs_sites_covered(run);
}

/* Tells the policy what the threads of a deadlock wait for: it has not seen the last of these operations. */
static void tell_left(struct rfs_run *run)
{
	const struct rfs_policy_ops *policy = run->spec->policy;

	for (size_t i = 0; i < run->n_threads && policy->event && run->result->end == RFS_END_DEADLOCK; i++) {
		const struct rfs_thread *t = run->threads[i];
		const struct rfs_event event = {.kind = RFS_EVENT_LEFT, .thread = t->number, .op = t->next};

		if (t->state == RFS_STATE_PARKED)
			policy->event(run->policy, &event);
	}
}

void rfs_run_collect(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;

	tell_left(run);
	if (run->last_words && run->result->end == RFS_END_EXIT && run->result->detail) {
		free(run->result->last_words);
		run->result->last_words = rfs_program_output_last(run, RFS_LAST_WRITER);
	}
	rfs_trace_finish(run);
	/* Breakpoints at cpuid show the same processor in all runs, but only in known code of the target itself. The
	 * warning matters only if the run is compared with another run. */
	if ((spec->trace.in || spec->trace.out) && rfs_tracer_shows_cpuid(run->tracer) &&
	    (run->tsc.unknown_code || run->tsc.hides_cpuid || run->n_children))
		rfs_run_warn(run,
			     "code that was made at run time, or a child process, may see features of this processor "
			     "that rfsup hides from the program, such as rdrand (no cpuid faulting); runs may differ");
	run->result->costs.wall_seconds = rfs_clock() - run->loop.started;
	run->result->costs.cpu_seconds = rfs_tracer_cpu_seconds(run->tracer);
	run->result->counts.threads = run->n_threads;
	run->result->counts.blocks = run->heap.next_order;
	rfs_shared_calls_end(run);
	rfs_nondet_collect(run);
	rfs_sites_modules(run);
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->task) {
			rfs_stubs_check_table(run, run->threads[i]->task);
			break;
		}
	rfs_partial_order_finish(run);
	if (run->stream) {
		drain_stream(run);
		collect_memory(run);
		warn_of_code(run);
	}
	if (rfs_word_locks_collect(run))
		repeat_with_locks(run);
	else if (run->stream)
		run_collect_predicted(run);
	if (spec->policy->stats)
		spec->policy->stats(run->policy, collect_stat, run->result);
	if (spec->policy->save && spec->policy->save(run->policy, &run->result->blob) != 0)
		rfs_run_warn(run, "policy %s cannot save its state", spec->policy->name);
	run->result->costs.own_cpu_seconds = rfs_clock_cpu() - run->loop.started_cpu;
}
