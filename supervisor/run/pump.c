/*
 * pump.c - the one place that waits for the target.
 *
 * rfs_pump() waits for a stop and passes it to rfs_handle_stop() (stops.c), which handles the stop and resumes the
 * thread. In every tick it also checks the limits of the run.
 */
#include "supervisor/run/pump.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "supervisor/access/hot_statements.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/stops/stops.h"
#include "supervisor/run/stops/watchdog.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/findings/deadlock.h"
#include "tracer/tracer.h"

/* The CPU limit grows by this time with each operation that stops. The time is about five times the cost of a stop. */
#define OPERATION_CPU_SECONDS 2e-5
/* The same for a stop of the debugger, which may be a single step. */
#define DEBUGGER_CPU_SECONDS 4e-4
/*
 * The CPU limit grows with each read of a clock too, because a loop that waits for a time makes thousands of them.
 * After this number it does not grow any more, so a loop that reads a clock without end is a hang.
 */
#define CLOCK_READS_MOST 100000
/*
 * The least CPU limit of a program with a sanitizer. Its report needs up to a second, because it reads the debug
 * information of all libraries for the names in its stacks, and the limit may come from runs without a report.
 */
#define REPORT_CPU_SECONDS 20.0

/* How long after the timeout the running thread may take to stop, so that the run can say where it is. */
#define ANSWER_SECONDS 1

static volatile sig_atomic_t tick;

static void pump_on_tick(int signo)
{
	(void)signo;
	tick = 1;
}

void rfs_ticks_start(void)
{
	struct sigaction action = {.sa_handler = pump_on_tick};
	struct itimerval every = {{0, RFS_TICK_USEC}, {0, RFS_TICK_USEC}};

	tick = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

void rfs_ticks_stop(void)
{
	struct itimerval never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &never, NULL);
}

/*
 * Whether the target has used more CPU time than the limit allows. The cost of operations, accesses and reads of a
 * clock that stop is not counted. The limit comes from runs with fewer such stops, for example baseline runs. The
 * number of operations has a separate limit.
 */
static bool cpu_used_up(const struct rfs_run *run)
{
	const struct rfs_run_result *result = run->result;
	const uint64_t reads = run->kernel->clock.reads;
	double stopped = OPERATION_CPU_SECONDS * (double)(result->counts.steps + result->counts.accesses -
							  result->counts.accesses_recorded + result->counts.early +
							  rfs_hot_trapped(run) +
							  (reads < CLOCK_READS_MOST ? reads : CLOCK_READS_MOST)) +
			 DEBUGGER_CPU_SECONDS * (double)rfs_gdb_stopped(run);
	double limit = run->spec->limits.cpu;

	if (limit > 0 && limit < REPORT_CPU_SECONDS && run->explains)
		limit = REPORT_CPU_SECONDS;
	return limit > 0 && rfs_tracer_cpu_seconds(run->tracer) > limit + stopped;
}

static bool may_go_on(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;

	if (spec->cancel_fd >= 0 && rfs_interrupted(spec->cancel_fd)) {
		rfs_run_end(run, RFS_END_CANCELLED, 0);
	} else if (spec->limits.timeout > 0 &&
		   rfs_clock() - run->loop.started > spec->limits.timeout + ANSWER_SECONDS) {
		rfs_describe_threads(run, &run->result->threads);
		rfs_run_end(run, RFS_END_TIMEOUT, 0);
	} else if (spec->limits.timeout > 0 && rfs_clock() - run->loop.started > spec->limits.timeout) {
		rfs_watchdog_end(run, RFS_END_TIMEOUT);
	}
	return !run->ended;
}

void rfs_look_around(struct rfs_run *run)
{
	if (!tick || run->ended)
		return;
	tick = 0;
	if (!may_go_on(run) || rfs_watchdog_is_busy(run))
		return;
	if (cpu_used_up(run) && !run->loop.settling) {
		rfs_watchdog_end(run, RFS_END_HANG);
		return;
	}
	rfs_watchdog_look(run);
	rfs_gdb_look(run);
}

int rfs_pump(struct rfs_run *run, int timeout_ms)
{
	struct rfs_stop stop;
	bool over = run->ended;
	int got;

	rfs_look_around(run);
	if (run->ended && !over)
		return 0;
	/* a process that shares memory with the target may run during the wait */
	rfs_target_memory_forget(run);
	got = rfs_tracer_wait(run->tracer, timeout_ms, &stop);
	if (got == -ECHILD) /* SIGKILL came while rfsup let it execute something, and took its exit status */
		rfs_run_uncontrolled(run, "the program disappeared: it was killed from outside (SIGKILL), by a user or "
					  "because memory was exhausted");
	else if (got < 0)
		rfs_run_uncontrolled(run, "cannot wait for the program: %s", strerror(-got));
	if (got != 1)
		return got;
	run->result->counts.stops += !over;
	rfs_handle_stop(run, &stop);
	return 1;
}
