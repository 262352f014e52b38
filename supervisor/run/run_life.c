/*
 * run_life.c - a run from its spec to its result: starts the policy, the detector and the target, and releases them at
 * the end.
 */
#include "supervisor/run/run_life.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "disasm/insn/insn.h"
#include "policy/detector_memory.h"
#include "policy/policy.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/hot_statements.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/access/sites.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/address_name.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/fd_calls.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/kernel/shared_calls.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/children.h"
#include "supervisor/run/run.h"
#include "supervisor/run/watchdog.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/atomicity.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/hold_stacks.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/findings/program_output.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/trace.h"
#include "supervisor/sync/before_main.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/tracer.h"

/*
 * The target's stack limit, in bytes: the usual soft limit. The limit is the same for every caller, because the kernel
 * places mappings depending on the limit.
 */
#define STACK_LIMIT (8ul << 20)

static int run_life_launch(struct rfs_run *run, const int *syscalls, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_tracer_info info = {0};
	unsigned char random[RFS_AT_RANDOM_SIZE];
	struct rfs_launch how = {
		.path = spec->path,
		.argv = spec->argv,
		.envp = spec->envp,
		.cwd = spec->cwd,
		.fd_in = spec->fd_in,
		.fd_out = spec->fd_out,
		.fd_err = spec->fd_err,
		.core = spec->core,
		.traced = syscalls,
		.also = rfs_shared_calls_noted(spec)  ? rfs_shared_calls
			: rfs_fd_calls_followed(spec) ? rfs_syscalls_followed
						      : NULL,
		.enosys = rfs_syscalls_enosys,
		.trap_rdtsc = true,
		.trap_cpuid = true,
		.random = random,
		.followed = spec->follow != NULL,
		.special_maps = true,
		.untraced_clones = true,
		.stack_limit = STACK_LIMIT,
		.data_limit = spec->data_limit,
	};
	int error;

	rfs_before_main(random);
	error = rfs_tracer_launch(&how, &run->tracer, &info, why, n);
	if (!error && info.aslr_on)
		run->result->nondet.kinds |= 1u << RFS_NONDET_ADDRESSES;
	if (!error && info.aslr_on)
		rfs_run_warn(run, "cannot disable address-space randomisation; addresses differ between runs");
	return error;
}

static void run_life_pin(int core)
{
	cpu_set_t set;

	if (core < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)core, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		rfs_note("cannot pin to core %d: %s", core, strerror(errno));
}

void rfs_run_open_stream(struct rfs_run *run, const cpu_set_t *cores)
{
	cpu_set_t others;

	if (!run->spec->detector)
		return;
	CPU_ZERO(&others);
	if (cores)
		others = *cores;
	if (run->spec->core >= 0)
		CPU_CLR((size_t)run->spec->core, &others);
	run->stream = rfs_stream_new(run->spec->detector, run->detector, CPU_COUNT(&others) > 0 ? &others : NULL);
	if (run->spec->n_covers)
		rfs_stream_cover(run->stream);
	rfs_atomicity_open(run);
}

static int init_modules(struct rfs_run *run, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_policy_args args = {
		.seed = spec->seed, .options = spec->policy_options, .blob = spec->policy_blob, .memory = spec->memory};
	int error = spec->policy->init(&run->policy, &args);

	if (error)
		return rfs_why(why, n, error, "policy %s does not accept these options: %s", spec->policy->name,
			       spec->policy_options ? spec->policy_options : "");
	if (spec->detector) {
		args.options = NULL;
		args.blob = spec->detector_blob;
		error = spec->detector->init(&run->detector, &args);
		if (error)
			return rfs_why(why, n, error, "cannot start detector %s", spec->detector->name);
	}
	rfs_lock_order_open(run);
	if (run->copied)
		return 0;
	error = rfs_decoder_new(&run->decoder);
	return error ? rfs_why(why, n, error, "cannot start Capstone") : 0;
}

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

static void run_life_predicted(struct rfs_run *run)
{
	rfs_evidence_predicted(run);
	rfs_lock_order_predicted(run);
	rfs_atomicity_predicted(run);
	if (run->spec->n_covers)
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
	if (run->n_words && run->result->end == RFS_END_EXIT && run->result->detail) {
		free(run->result->last_words);
		run->result->last_words = rfs_program_output_last(run, run->last_writer);
	}
	rfs_trace_finish(run);
	/* Breakpoints at cpuid show the same processor in all runs, but only in known code of the target itself. The
	 * warning matters only if the run is compared with another run. */
	if ((spec->trace_in || spec->trace_out) && rfs_tracer_shows_cpuid(run->tracer) &&
	    (run->unknown_code || run->hides_cpuid || run->n_children))
		rfs_run_warn(run,
			     "code that was made at run time, or a child process, may see features of this processor "
			     "that rfsup hides from the program, such as rdrand (no cpuid faulting); runs may differ");
	run->result->costs.wall_seconds = rfs_clock() - run->started;
	run->result->costs.cpu_seconds = rfs_tracer_cpu_seconds(run->tracer);
	run->result->counts.threads = run->n_threads;
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
	}
	if (rfs_word_locks_collect(run))
		repeat_with_locks(run);
	else if (run->stream)
		run_life_predicted(run);
	if (spec->policy->stats)
		spec->policy->stats(run->policy, collect_stat, run->result);
	if (spec->policy->save && spec->policy->save(run->policy, &run->result->blob) != 0)
		rfs_run_warn(run, "policy %s cannot save its state", spec->policy->name);
	run->result->costs.own_cpu_seconds = rfs_clock_cpu() - run->started_cpu;
}

void rfs_run_release(struct rfs_run *run)
{

	if (run->tracer)
		rfs_tracer_free(run->tracer);
	rfs_trace_close(run);
	rfs_input_close(run);
	rfs_gdb_release(run);
	rfs_kernel_release(run);
	if (run->policy && run->spec->policy->fini)
		run->spec->policy->fini(run->policy);
	rfs_stream_free(run->stream);
	rfs_address_set_release(&run->left_out);
	rfs_atomicity_close(run);
	if (run->detector)
		run->spec->detector->fini(run->detector);
	if (!run->copied)
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

/* Whether the heap must be known for the names of addresses. */
static bool names_heap(const struct rfs_run_spec *spec)
{
	for (size_t i = 0; i < spec->n_addresses; i++)
		if (spec->addresses[i].kind == RFS_ADDRESS_HEAP)
			return true;
	return false;
}

void rfs_run_init(struct rfs_run *run, const struct rfs_run_spec *spec, struct rfs_run_result *out)
{
	const bool needs_heap = spec->detector || names_heap(spec) || (spec->policy->flags & RFS_POLICY_NEEDS_HEAP);

	*out = (struct rfs_run_result){0};
	*run = (struct rfs_run){
		.spec = spec,
		.result = out,
		.started = rfs_clock(),
		.started_cpu = rfs_clock_cpu(),
		.track_heap = needs_heap || spec->orders,
		.heap_for_order = !needs_heap && spec->orders,
		.follow.glob = spec->follow,
	};
	rfs_target_memory_open(run);
	rfs_stubs_init(run);
	rfs_word_locks_open(run);
	rfs_kernel_init(run);
	if (spec->orders)
		rfs_partial_order_new(run);
}

int rfs_run_open(struct rfs_run *run, char *why, size_t n)
{
	int error = init_modules(run, why, n);

	rfs_gdb_init(run);
	if (!error)
		error = rfs_input_open(run, why, n);
	return error ? error : rfs_trace_open(run, why, n);
}

int rfs_run_begin(struct rfs_run *run, const int *syscalls, char *why, size_t n)
{
	cpu_set_t allowed;
	int error;

	CPU_ZERO(&allowed);
	(void)!sched_getaffinity(0, sizeof(allowed), &allowed);
	run_life_pin(run->spec->core);
	error = rfs_run_open(run, why, n);
	if (!error)
		error = run_life_launch(run, syscalls, why, n);
	if (!error && !run->spec->follow)
		rfs_clock_begin(run);
	if (!error)
		rfs_run_open_stream(run, &allowed); /* the cores before run_life_pin() */
	return error;
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
			error = rfs_follow_missed(&run.follow, spec->argv, why, n);
		else
			rfs_run_collect(&run);
	}
	rfs_run_release(&run);
	return error;
}
