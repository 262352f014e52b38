/*
 * child_waits.c - waits of child processes that have a time limit, in virtual time.
 *
 * The task waits in the kernel without a limit; a sleep becomes pause(2). When virtual time has reached the limit, the
 * wait is interrupted (PTRACE_INTERRUPT), and at its exit the call gets the result that it has when the limit passes.
 *
 *     the child calls    the kernel executes        at its limit it returns
 *     nanosleep(10 ms)   pause()                    0
 *     poll(p, 1, 500)    poll(p, 1, -1)             0
 *     futex(WAIT, 1 s)   futex(WAIT, no limit)      -ETIMEDOUT
 *
 * Signals, descriptors and wake-ups end the wait as they always do. If no handler runs, the kernel makes the call
 * again (signal(7)): the program's arguments are there again by then, and the limit stays the same.
 */
#include "supervisor/kernel/child_waits.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/process.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/core/wait_arguments.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/virtual_time.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* What a call returns that the kernel makes again if no handler runs (linux/errno.h of Linux). */
#define ERESTARTSYS 512
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

/* poll(2) with more descriptors keeps its limit, and so does a wait for longer than this. */
#define POLL_MAX 65536
#define LIMIT_MAX ((uint64_t)INT64_MAX)

/* One wait. */
struct child_wait {
	struct rfs_task *task;
	long number; /* of the call that the child has made, and its arguments */
	unsigned long args[6];
	uint64_t due; /* virtual time at which the limit passes */
	bool over;    /* the limit has passed, and the wait was interrupted */
	bool again;   /* the call has returned and will be made again, unless a handler runs */
};

struct rfs_child_waits {
	struct child_wait *list;
	size_t n;
};

/* The limit of a call. */
struct limit {
	int argument;	/* which argument it is, or points to it; -1: the call is a sleep */
	uint64_t nanos; /* from now on */
};

static struct child_wait *wait_of(const struct rfs_run *run, const struct rfs_task *task)
{
	struct rfs_child_waits *waits = run->kernel->child_waits;

	for (size_t i = 0; waits && i < waits->n; i++)
		if (waits->list[i].task == task)
			return &waits->list[i];
	return NULL;
}

static void child_waits_drop(struct rfs_run *run, struct child_wait *wait)
{
	struct rfs_child_waits *waits = run->kernel->child_waits;

	*wait = waits->list[--waits->n];
}

/* ---- the entry ---- */

/* Reads two words, seconds and fractions of `unit` nanoseconds. False: the call fails, or the limit is too far away. */
static bool read_nanos(struct rfs_task *task, rfs_addr at, uint64_t unit, uint64_t *nanos)
{
	int64_t t[2];

	if (!at || rfs_space_read(rfs_task_space(task), at, t, sizeof(t)) || t[0] < 0 || t[1] < 0 ||
	    (uint64_t)t[0] > LIMIT_MAX / RFS_NANOS / 2 || (uint64_t)t[1] > RFS_NANOS)
		return false;
	*nanos = (uint64_t)t[0] * RFS_NANOS + (uint64_t)t[1] * unit;
	return true;
}

/* The same for an absolute time of this clock. */
static bool read_absolute(const struct rfs_run *run, struct rfs_task *task, rfs_addr at, int clock, uint64_t *nanos)
{
	uint64_t now;

	if (!rfs_clock_of_child(run, clock, &now) || !read_nanos(task, at, 1, nanos))
		return false;
	*nanos = *nanos > now ? *nanos - now : 0;
	return true;
}

static bool limit_of_futex(const struct rfs_run *run, const struct rfs_stop *stop, struct limit *out)
{
	const int op = (int)stop->args[1];

	out->argument = 3;
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return read_nanos(stop->task, stop->args[3], 1, &out->nanos);
	case FUTEX_WAIT_BITSET:
		return read_absolute(run, stop->task, stop->args[3],
				     op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, &out->nanos);
	default:
		return false;
	}
}

/* Whether the call waits with a limit that this module knows. */
static bool limit_of(const struct rfs_run *run, const struct rfs_stop *stop, struct limit *out)
{
	const struct rfs_syscall *row = rfs_syscall_row(stop->number);
	struct rfs_task *task = stop->task;
	const unsigned long *args = stop->args;

	out->argument = -1;
	switch (stop->number) {
	case SYS_nanosleep:
		return read_nanos(task, args[0], 1, &out->nanos);
	case SYS_clock_nanosleep:
		return args[1] & TIMER_ABSTIME ? read_absolute(run, task, args[2], (int)args[0], &out->nanos)
					       : read_nanos(task, args[2], 1, &out->nanos);
	case SYS_futex:
		return limit_of_futex(run, stop, out);
	case SYS_rt_sigtimedwait:
		out->argument = 2;
		return read_nanos(task, args[2], 1, &out->nanos);
	default:
		break;
	}
	if (!row->timeout || (row->waits == RFS_WAITS_POLL && args[1] > POLL_MAX))
		return false;
	out->argument = row->timeout;
	if (row->timeout_as != RFS_TIMEOUT_MILLISECONDS)
		return read_nanos(task, args[row->timeout], row->timeout_as == RFS_TIMEOUT_TIMEVAL ? 1000 : 1,
				  &out->nanos);
	out->nanos = (uint64_t)(unsigned)args[row->timeout] * 1000000;
	return (int)args[row->timeout] >= 0;
}

static void take_limit_away(const struct rfs_stop *stop, const struct limit *limit)
{
	const struct rfs_syscall *row = rfs_syscall_row(stop->number);
	const bool counts = row->timeout && row->timeout_as == RFS_TIMEOUT_MILLISECONDS; /* it is no pointer */

	if (limit->argument < 0)
		rfs_task_regs_mut(stop->task)->orig_rax = SYS_pause;
	else
		rfs_timeout_argument_set(stop->task, limit->argument, counts ? (uint64_t)-1 : 0);
}

static struct child_wait *child_waits_add(struct rfs_run *run)
{
	struct rfs_child_waits *waits = run->kernel->child_waits;

	if (!waits)
		waits = run->kernel->child_waits = xcalloc(1, sizeof(*waits));
	waits->list = xreallocarray(waits->list, waits->n + 1, sizeof(*waits->list));
	return &waits->list[waits->n++];
}

bool rfs_child_waits_enter(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct child_wait *wait = wait_of(run, stop->task);
	struct limit limit;
	uint64_t due;
	bool known;

	if (run->spec->clock_real || run->ended || !limit_of(run, stop, &limit) || !limit.nanos)
		return false;
	due = run->time.now + limit.nanos;
	known = wait && wait->again && wait->number == stop->number &&
		memcmp(wait->args, stop->args, sizeof(wait->args)) == 0;
	if (known)
		due = wait->due;
	if (!wait)
		wait = child_waits_add(run);
	*wait = (struct child_wait){.task = stop->task, .number = stop->number, .due = due};
	memcpy(wait->args, stop->args, sizeof(wait->args));
	take_limit_away(stop, &limit);
	return true;
}

/* ---- the exit ---- */

/* Nothing was ready when the limit passed: the sets of select(2), or the results of poll(2), say so. */
static void clear_results(const struct child_wait *wait)
{
	struct rfs_space *space = rfs_task_space(wait->task);
	const enum rfs_syscall_waits waits = rfs_syscall_row(wait->number)->waits;
	const size_t n = waits == RFS_WAITS_POLL ? wait->args[1] * sizeof(struct pollfd)
						 : ((unsigned)wait->args[0] + 63ul) / 64 * 8;
	struct pollfd *p;

	if ((waits != RFS_WAITS_POLL && waits != RFS_WAITS_SELECT) || !n || n > POLL_MAX * sizeof(*p))
		return;
	p = xcalloc(1, n);
	/* a write fails only if the task is gone or has unmapped the memory meanwhile */
	for (int i = 1; i < 4 && waits == RFS_WAITS_SELECT; i++)
		if (wait->args[i])
			(void)!rfs_space_write(space, wait->args[i], p, n);
	if (waits == RFS_WAITS_POLL && rfs_space_read(space, wait->args[0], p, n) == 0) {
		for (size_t i = 0; i < wait->args[1]; i++)
			p[i].revents = 0;
		(void)!rfs_space_write(space, wait->args[0], p, n);
	}
	free(p);
}

static long result_at_limit(long number)
{
	switch (number) {
	case SYS_futex:
		return -ETIMEDOUT;
	case SYS_rt_sigtimedwait:
		return -EAGAIN;
	default:
		return 0;
	}
}

/* Where the call stores how much of its limit is left; 0: nowhere. */
static rfs_addr left_at(const struct child_wait *wait)
{
	const struct rfs_syscall *row = rfs_syscall_row(wait->number);

	if (wait->number == SYS_nanosleep)
		return wait->args[1];
	if (wait->number == SYS_clock_nanosleep)
		return wait->args[1] & TIMER_ABSTIME ? 0 : wait->args[3];
	return row->flags & RFS_CALL_TIME_LEFT ? wait->args[row->timeout] : 0;
}

static void tell_left(const struct rfs_run *run, const struct child_wait *wait)
{
	const uint64_t unit = rfs_syscall_row(wait->number)->timeout_as == RFS_TIMEOUT_TIMEVAL ? 1000 : 1;
	const uint64_t left = wait->due > run->time.now ? wait->due - run->time.now : 0;
	const int64_t t[2] = {(int64_t)(left / RFS_NANOS), (int64_t)(left % RFS_NANOS / unit)};

	if (left_at(wait))
		(void)!rfs_space_write(rfs_task_space(wait->task), left_at(wait), t, sizeof(t));
}

static bool is_interrupted(long result)
{
	return result == -ERESTARTSYS || result == -ERESTARTNOHAND || result == -ERESTART_RESTARTBLOCK ||
	       result == -EINTR;
}

void rfs_child_waits_exit(struct rfs_run *run, struct rfs_task *task)
{
	struct child_wait *wait = wait_of(run, task);
	struct user_regs_struct *regs;
	bool interrupted;

	if (!wait || wait->again)
		return;
	regs = rfs_task_regs_mut(task);
	interrupted = is_interrupted((long)regs->rax);
	regs->orig_rax = (unsigned long)wait->number;
	regs->rdx = wait->args[2];
	regs->r10 = wait->args[3];
	regs->r8 = wait->args[4];
	if (wait->over && interrupted) {
		regs->rax = (unsigned long)result_at_limit(wait->number);
		clear_results(wait);
	}
	/* a sleep that has ended leaves the memory for the rest as it is (nanosleep(2)) */
	if (!wait->over || rfs_syscall_row(wait->number)->timeout)
		tell_left(run, wait);
	wait->again = interrupted && !wait->over && (long)regs->rax != -EINTR;
	if (wait->again)
		regs->rax = (unsigned long)-ERESTARTNOHAND;
	else
		child_waits_drop(run, wait);
}

void rfs_child_waits_signal(struct rfs_run *run, const struct rfs_task *task, int signo)
{
	struct child_wait *wait = wait_of(run, task);
	uint64_t caught = 0;

	if (!wait || !wait->again)
		return;
	(void)rfs_process_signals(rfs_task_tid(task), "SigCgt:", &caught);
	if (caught >> (signo - 1) & 1)
		child_waits_drop(run, wait);
}

void rfs_child_waits_gone(struct rfs_run *run, const struct rfs_task *task)
{
	struct child_wait *wait = wait_of(run, task);

	if (wait)
		child_waits_drop(run, wait);
}

/* ---- time passes ---- */

/* Whether the task waits, and its limit has not passed yet. */
static bool is_open(const struct child_wait *wait)
{
	return !wait->over && !wait->again;
}

static struct child_wait *child_waits_earliest(const struct rfs_run *run)
{
	struct rfs_child_waits *waits = run->kernel->child_waits;
	struct child_wait *first = NULL;

	for (size_t i = 0; waits && i < waits->n; i++) {
		struct child_wait *wait = &waits->list[i];

		if (is_open(wait) &&
		    (!first || wait->due < first->due ||
		     (wait->due == first->due &&
		      rfs_pids_shown(run, rfs_task_tid(wait->task)) < rfs_pids_shown(run, rfs_task_tid(first->task)))))
			first = wait;
	}
	return first;
}

uint64_t rfs_child_waits_next(const struct rfs_run *run)
{
	const struct child_wait *wait = child_waits_earliest(run);

	return wait ? wait->due : RFS_NEVER;
}

static void child_waits_end(struct child_wait *wait)
{
	wait->over = true;
	/* this fails only if the task is gone, and its end is reported */
	(void)rfs_task_interrupt(wait->task);
}

bool rfs_child_waits_end_due(struct rfs_run *run)
{
	struct child_wait *wait = child_waits_earliest(run);

	if (!wait || wait->due > run->time.now)
		return false;
	child_waits_end(wait);
	return true;
}

void rfs_child_waits_end_all(struct rfs_run *run)
{
	struct child_wait *wait;

	while ((wait = child_waits_earliest(run)))
		child_waits_end(wait);
}

void rfs_child_waits_release(struct rfs_run *run)
{
	if (!run->kernel->child_waits)
		return;
	free(run->kernel->child_waits->list);
	free(run->kernel->child_waits);
}
