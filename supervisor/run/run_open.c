/* run_open.c - starts the policy, the detector and the target of a run. */
#include "supervisor/run/run_open.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/base/error.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/fd_calls.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/object_calls.h"
#include "supervisor/kernel/shared_calls.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/stops/processes.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/findings/atomicity.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/operations/shared_things.h"
#include "supervisor/state/operations/trace.h"
#include "supervisor/sync/before_main.h"
#include "tracer/tracer.h"

/*
 * The target's stack limit, in bytes: the usual soft limit. The limit is the same for every caller, because the kernel
 * places mappings depending on the limit.
 */
#define STACK_LIMIT (8ul << 20)

static int run_open_launch(struct rfs_run *run, const int *syscalls, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_tracer_info info = {0};
	unsigned char random[RFS_AT_RANDOM_SIZE];
	struct rfs_launch how = {
		.path = spec->process.path,
		.argv = spec->process.argv,
		.envp = spec->process.envp,
		.cwd = spec->process.cwd,
		.fd_in = spec->process.fd_in,
		.fd_out = spec->process.fd_out,
		.fd_err = spec->process.fd_err,
		.core = spec->core,
		.traced = syscalls,
		.also = rfs_shared_noted(spec)						 ? rfs_shared_calls
			: rfs_fd_calls_followed(spec) || rfs_object_calls_followed(spec) ? rfs_syscalls_followed
											 : NULL,
		.enosys = rfs_syscalls_enosys,
		.trap_rdtsc = true,
		.trap_cpuid = true,
		.random = random,
		.followed = spec->follow != NULL,
		.special_maps = true,
		.untraced_clones = true,
		.stack_limit = STACK_LIMIT,
		.data_limit = spec->limits.data,
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

static void run_open_pin(int core)
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
	if (run->spec->wanted.n_covers)
		rfs_stream_cover(run->stream);
	rfs_atomicity_open(run);
}

static int run_open_modules(struct rfs_run *run, char *why, size_t n)
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
	if (run->served.as == RFS_SERVED_COPY)
		return 0;
	error = rfs_decoder_new(&run->decoder);
	return error ? rfs_why(why, n, error, "cannot start Capstone") : 0;
}

int rfs_run_open(struct rfs_run *run, char *why, size_t n)
{
	int error = run_open_modules(run, why, n);

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
	run_open_pin(run->spec->core);
	error = rfs_run_open(run, why, n);
	if (!error)
		error = run_open_launch(run, syscalls, why, n);
	if (!error && !run->spec->follow)
		rfs_clock_begin(run);
	if (!error)
		rfs_processes_open(run);
	if (!error)
		rfs_run_open_stream(run, &allowed); /* the cores before run_open_pin() */
	return error;
}
