/*
 * timers.c - timerfd, setitimer, alarm and timer_create in virtual time, of the program and of other processes.
 *
 * The target's timers are not armed in the kernel. rfsup stores when each timer is due, and makes the timer expire when
 * virtual time has reached that moment. Virtual time passes with operations, and jumps if no thread can continue
 * (run/idle.c). When a timerfd expires, rfsup arms it in the kernel for the next nanosecond, so that a poll finds it
 * readable. rfsup answers the read of a timerfd with the number of expirations; a read of another process is made, and
 * finds one expiration. When a timer of another kind expires, rfsup sends the timer's signal.
 */
#include "supervisor/kernel/signals/timers.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/signals/timers-priv.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "tracer/tracer.h"

struct rfs_timer *rfs_timer_add(struct rfs_run *run, enum rfs_timer_kind kind, int id, pid_t pid)
{
	struct rfs_timers *timers;
	struct rfs_timer *timer;

	if (!run->kernel->timers)
		run->kernel->timers = xcalloc(1, sizeof(*run->kernel->timers));
	timers = run->kernel->timers;
	timers->list = xreallocarray(timers->list, timers->n + 1, sizeof(*timers->list));
	timer = &timers->list[timers->n++];
	*timer = (struct rfs_timer){.kind = kind, .id = id, .pid = pid, .due = RFS_NEVER, .clock = CLOCK_REALTIME};
	return timer;
}

size_t rfs_timers_count(const struct rfs_run *run)
{
	return run->kernel->timers ? run->kernel->timers->n : 0;
}

struct rfs_timer *rfs_timer_of_fd(struct rfs_run *run, int fd)
{
	pid_t us = getpid();

	for (size_t i = 0; i < rfs_timers_count(run); i++)
		if (run->kernel->timers->list[i].kind == RFS_TIMER_FD &&
		    syscall(SYS_kcmp, us, us, KCMP_FILE, fd, run->kernel->timers->list[i].id) == 0)
			return &run->kernel->timers->list[i];
	return NULL;
}

void rfs_timer_disarm(int fd)
{
	static const struct itimerspec never;

	timerfd_settime(fd, 0, &never, NULL);
}

bool rfs_timers_read(struct rfs_run *run, struct rfs_thread *thread, int fd, long *result)
{
	struct rfs_timer *timer = rfs_timers_any(run) ? rfs_timer_of_fd(run, fd) : NULL;

	if (!timer || timer->expired == 0)
		return false;
	if (thread->args[2] < sizeof(timer->expired)) {
		*result = -EINVAL;
		return true;
	}
	*result = sizeof(timer->expired);
	if (!rfs_poke(run, thread->args[1], &timer->expired, sizeof(timer->expired)))
		*result = -EFAULT;
	timer->expired = 0;
	rfs_timer_disarm(timer->id);
	return true;
}

/* ---- the signals of timers ---- */

int rfs_timer_signal(const struct rfs_timer *timer)
{
	static const int signals[] = {[ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF};

	switch (timer->kind) {
	case RFS_TIMER_INTERVAL:
		return signals[timer->id];
	case RFS_TIMER_POSIX:
		return timer->notify == SIGEV_NONE ? 0 : timer->signo;
	case RFS_TIMER_FD:
		break;
	}
	return 0;
}

/* The timer of the program that sends this signal first. */
static struct rfs_timer *first_of_signal(const struct rfs_run *run, int signo)
{
	const pid_t pid = rfs_tracer_pid(run->tracer);
	struct rfs_timer *first = NULL;

	for (size_t i = 0; i < rfs_timers_count(run); i++) {
		struct rfs_timer *timer = &run->kernel->timers->list[i];

		if (timer->pid == pid && rfs_timer_signal(timer) == signo && timer->due != RFS_NEVER &&
		    (!first || timer->due < first->due))
			first = timer;
	}
	return first;
}

uint64_t rfs_timers_due(const struct rfs_run *run, int signo, struct rfs_thread **to)
{
	const struct rfs_timer *timer = first_of_signal(run, signo);

	if (timer && timer->thread)
		for (size_t i = 0; i < run->n_threads; i++)
			if (run->threads[i]->task && rfs_task_tid(run->threads[i]->task) == timer->thread)
				*to = run->threads[i];
	return timer ? timer->due : RFS_NEVER;
}

static void fire(struct rfs_run *run, struct rfs_timer *timer);

void rfs_timers_expire(struct rfs_run *run, int signo)
{
	struct rfs_timer *timer = first_of_signal(run, signo);

	if (timer->due > run->time.now)
		rfs_advance(run, timer->due);
	fire(run, timer);
}

/* ---- expiry ---- */

static void send_posix(struct rfs_run *run, const struct rfs_timer *timer)
{
	siginfo_t info = {.si_signo = timer->signo, .si_code = SI_TIMER};

	if (timer->notify == SIGEV_NONE)
		return;
	run->kernel->kills |= timer->signo == SIGKILL && timer->pid == rfs_tracer_pid(run->tracer);
	info.si_timerid = timer->id;
	info.si_overrun = (int)timer->expired;
	memcpy(&info.si_value, &timer->value, sizeof(timer->value));
	/* these fail if the thread or the process has ended */
	if (timer->thread)
		syscall(SYS_rt_tgsigqueueinfo, timer->pid, timer->thread, timer->signo, &info);
	else
		syscall(SYS_rt_sigqueueinfo, timer->pid, timer->signo, &info);
	run->signals = true;
}

static void fire(struct rfs_run *run, struct rfs_timer *timer)
{
	const struct itimerspec at_once = {.it_value.tv_nsec = 1};
	uint64_t times = 1;

	if (timer->interval) {
		times += (run->time.now - timer->due) / timer->interval;
		timer->due += times * timer->interval;
	} else {
		timer->due = RFS_NEVER;
	}
	switch (timer->kind) {
	case RFS_TIMER_FD:
		timer->expired += times;
		timerfd_settime(timer->id, 0, &at_once, NULL);
		/*
		 * waits until the timerfd has expired in the kernel; otherwise real time would decide whether the next
		 * poll finds it readable
		 */
		while (!rfs_fd_readable(timer->id))
			;
		break;
	case RFS_TIMER_POSIX:
		timer->expired = times - 1;
		send_posix(run, timer);
		break;
	case RFS_TIMER_INTERVAL:
		kill(timer->pid, rfs_timer_signal(timer));
		run->signals = true;
		break;
	}
}

bool rfs_timers_fire(struct rfs_run *run)
{
	bool fired = false;

	for (size_t i = 0; i < rfs_timers_count(run); i++) {
		if (run->kernel->timers->list[i].due > run->time.now)
			continue;
		fire(run, &run->kernel->timers->list[i]);
		fired = true;
	}
	return fired;
}

uint64_t rfs_timers_next(const struct rfs_run *run)
{
	uint64_t next = RFS_NEVER;

	for (size_t i = 0; i < rfs_timers_count(run); i++)
		if (run->kernel->timers->list[i].due < next)
			next = run->kernel->timers->list[i].due;
	return next;
}

unsigned rfs_timers_ready(const struct rfs_run *run, bool available, uint64_t deadline, bool signals_only)
{
	for (size_t i = 0; i < rfs_timers_count(run); i++) {
		const struct rfs_timer *timer = &run->kernel->timers->list[i];

		if (timer->due < deadline && !(signals_only && timer->kind == RFS_TIMER_FD))
			return rfs_ready_timed(run, available, RFS_NEVER);
	}
	return rfs_ready_timed(run, available, deadline);
}

bool rfs_timers_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info)
{
	siginfo_t shown = {.si_signo = info->si_signo, .si_code = SI_KERNEL};

	const bool ours = info->si_code == SI_USER && info->si_pid == getpid() && rfs_timers_any(run) &&
			  (info->si_signo == SIGALRM || info->si_signo == SIGVTALRM || info->si_signo == SIGPROF);

	if (ours)
		rfs_task_set_siginfo(task, &shown);
	else
		rfs_pids_signal(run, task, info);
	return ours;
}

bool rfs_timers_any(const struct rfs_run *run)
{
	return run->kernel->timers != NULL;
}

/* Drops the timers of a process that its end, or the execution of a file (`file`), takes away. */
static void timers_drop(struct rfs_run *run, pid_t pid, bool file)
{
	struct rfs_timers *timers = run->kernel->timers;
	size_t kept = 0;

	for (size_t i = 0; i < rfs_timers_count(run); i++) {
		const struct rfs_timer *timer = &timers->list[i];

		if (timer->pid != pid || (file && timer->kind != RFS_TIMER_POSIX))
			timers->list[kept++] = *timer;
		else if (timer->kind == RFS_TIMER_FD)
			close(timer->id);
	}
	if (timers)
		timers->n = kept;
}

void rfs_timers_executed(struct rfs_run *run, pid_t pid)
{
	timers_drop(run, pid, true);
}

void rfs_timers_ended(struct rfs_run *run, pid_t pid)
{
	timers_drop(run, pid, false);
}

void rfs_timers_forked(struct rfs_run *run, pid_t parent)
{
	for (size_t i = 0; i < rfs_timers_count(run); i++) {
		struct rfs_timer *timer = &run->kernel->timers->list[i];

		if (timer->kind == RFS_TIMER_FD && timer->pid == parent)
			timer->pid = rfs_tracer_pid(run->tracer);
	}
}

void rfs_timers_release(struct rfs_run *run)
{
	struct rfs_timers *timers = run->kernel->timers;

	if (!timers)
		return;
	for (size_t i = 0; i < timers->n; i++)
		if (timers->list[i].kind == RFS_TIMER_FD)
			close(timers->list[i].id);
	free(timers->list);
	free(timers);
}
