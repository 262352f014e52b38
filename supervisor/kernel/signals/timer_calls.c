/* timer_calls.c - calls on timers of the program and of other processes, which rfsup answers. */
#include "supervisor/kernel/signals/timer_calls.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timers-priv.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/park.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/*
 * The virtual time that each timer call takes. So a timer that was just set has a little less than its whole time left,
 * as on a real machine.
 */
#define CALL_NANOS 1000

/* struct sigevent in the kernel's format. */
struct event {
	uint64_t value;
	int signo, notify, thread;
};

/* A call on timers. */
struct call {
	struct rfs_run *run;
	struct rfs_task *task;
	struct rfs_thread *thread; /* NULL: the call of another process */
	long number;
	const unsigned long *args;
};

static bool call_reads(const struct call *call, rfs_addr at, void *to, size_t n)
{
	return call->thread ? rfs_peek(call->run, at, to, n) : !rfs_space_read(rfs_task_space(call->task), at, to, n);
}

static bool call_writes(const struct call *call, rfs_addr at, const void *from, size_t n)
{
	return call->thread ? rfs_poke(call->run, at, from, n)
			    : !rfs_space_write(rfs_task_space(call->task), at, from, n);
}

static struct rfs_timer *timer_find(const struct call *call, enum rfs_timer_kind kind, int id)
{
	const pid_t pid = rfs_task_pid(call->task);

	for (size_t i = 0; i < rfs_timers_count(call->run); i++) {
		struct rfs_timer *timer = &call->run->kernel->timers->list[i];

		if (timer->kind == kind && timer->id == id && timer->pid == pid && !timer->gone)
			return timer;
	}
	return NULL;
}

static clockid_t timers_clock_of(int fd)
{
	FILE *info = rfs_fd_info(fd);
	int clock = CLOCK_MONOTONIC;
	char line[128];

	while (info && fgets(line, sizeof(line), info))
		if (sscanf(line, "clockid: %d", &clock) == 1)
			break;
	if (info)
		fclose(info);
	return clock;
}

static uint64_t nanos(const struct timespec *t)
{
	if ((uint64_t)t->tv_sec > UINT64_MAX / RFS_NANOS / 4)
		return RFS_NEVER / 2;
	return (uint64_t)t->tv_sec * RFS_NANOS + (uint64_t)t->tv_nsec;
}

static struct timespec spec_of(uint64_t t)
{
	return (struct timespec){(time_t)(t / RFS_NANOS), (long)(t % RFS_NANOS)};
}

static bool valid(const struct itimerspec *spec)
{
	return spec->it_value.tv_sec >= 0 && spec->it_value.tv_nsec >= 0 && spec->it_value.tv_nsec < (long)RFS_NANOS &&
	       spec->it_interval.tv_sec >= 0 && spec->it_interval.tv_nsec >= 0 &&
	       spec->it_interval.tv_nsec < (long)RFS_NANOS;
}

static void read_setting(const struct rfs_run *run, const struct rfs_timer *timer, struct itimerspec *out)
{
	uint64_t left = timer->due == RFS_NEVER ? 0 : timer->due > run->time.now ? timer->due - run->time.now : 1;

	out->it_value = spec_of(left);
	out->it_interval = spec_of(timer->interval);
}

/* Reads the clock as the caller sees it. False: another process has this clock from the kernel. */
static bool clock_of_call(const struct call *call, clockid_t clock, uint64_t *now)
{
	if (!call->thread)
		return rfs_clock_of_child(call->run, clock, now);
	*now = rfs_clock_now(call->run, clock);
	return true;
}

static void timers_arm(const struct call *call, struct rfs_timer *timer, const struct itimerspec *spec, bool absolute)
{
	uint64_t value = nanos(&spec->it_value), now = 0;

	timer->interval = nanos(&spec->it_interval);
	timer->expired = 0;
	timer->due = RFS_NEVER;
	if (!value)
		return;
	if (absolute && clock_of_call(call, timer->clock, &now))
		value = value > now ? value - now : 0;
	timer->due = call->run->time.now + value;
}

/* Answers a *_settime() call: stores the timer's old value at `old`, and sets the new value from `new`. */
static long timers_set(const struct call *call, struct rfs_timer *timer, bool absolute)
{
	const rfs_addr new = call->args[2], old = call->args[3];
	struct itimerspec spec, before;

	if (!call_reads(call, new, &spec, sizeof(spec)))
		return -EFAULT;
	if (!valid(&spec))
		return -EINVAL;
	read_setting(call->run, timer, &before);
	timers_arm(call, timer, &spec, absolute);
	return old && !call_writes(call, old, &before, sizeof(before)) ? -EFAULT : 0;
}

static long timers_get(const struct call *call, const struct rfs_timer *timer)
{
	struct itimerspec spec;

	read_setting(call->run, timer, &spec);
	return call_writes(call, call->args[1], &spec, sizeof(spec)) ? 0 : -EFAULT;
}

/* ---- timerfd ---- */

/* False: the kernel makes the call; it returns the error if the descriptor is no timer. */
static bool answer_timerfd(const struct call *call, long *result)
{
	struct rfs_run *run = call->run;
	const int target = (int)call->args[0];
	const int fd =
		call->thread ? rfs_fd_duplicate(run, target) : rfs_fd_duplicate_from(rfs_task_pid(call->task), target);
	const bool is_timer = fd >= 0 && rfs_fd_is_anonymous(fd, "timerfd");
	const clockid_t clock = is_timer ? timers_clock_of(fd) : 0;
	struct rfs_timer *timer;
	uint64_t now;

	if (!is_timer || !clock_of_call(call, clock, &now)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	timer = rfs_timer_of_fd(run, fd);
	if (timer)
		close(fd);
	else
		timer = rfs_timer_add(run, RFS_TIMER_FD, fd, rfs_task_pid(call->task));
	timer->clock = clock;
	if (call->number == SYS_timerfd_settime) {
		*result = timers_set(call, timer, call->args[1] & TFD_TIMER_ABSTIME);
		if (*result == 0)
			rfs_timer_disarm(timer->id);
	} else {
		*result = timers_get(call, timer);
	}
	return true;
}

/* The timer was set. */
static void timer_armed(const struct call *call, const struct rfs_timer *timer)
{
	const int signo = rfs_timer_signal(timer);

	if (signo && call->thread)
		rfs_signal_armed(call->run, call->thread, signo, timer->due != RFS_NEVER);
}

/* ---- setitimer, alarm ---- */

static struct rfs_timer *interval_timer(const struct call *call, int which)
{
	struct rfs_timer *timer = timer_find(call, RFS_TIMER_INTERVAL, which);

	return timer ? timer : rfs_timer_add(call->run, RFS_TIMER_INTERVAL, which, rfs_task_pid(call->task));
}

static long interval_get(const struct call *call, rfs_addr to)
{
	struct itimerspec spec;
	struct itimerval value;

	read_setting(call->run, interval_timer(call, (int)call->args[0]), &spec);
	TIMESPEC_TO_TIMEVAL(&value.it_value, &spec.it_value);
	TIMESPEC_TO_TIMEVAL(&value.it_interval, &spec.it_interval);
	return to && !call_writes(call, to, &value, sizeof(value)) ? -EFAULT : 0;
}

static long interval_set(const struct call *call)
{
	int which = (int)call->args[0];
	struct itimerval value = {0};
	struct itimerspec spec;
	long result;

	if (call->args[1] && !call_reads(call, call->args[1], &value, sizeof(value)))
		return -EFAULT;
	TIMEVAL_TO_TIMESPEC(&value.it_value, &spec.it_value);
	TIMEVAL_TO_TIMESPEC(&value.it_interval, &spec.it_interval);
	if (!valid(&spec))
		return -EINVAL;
	result = interval_get(call, call->args[2]);
	if (result == 0) {
		timers_arm(call, interval_timer(call, which), &spec, false);
		timer_armed(call, interval_timer(call, which));
	}
	return result;
}

static long alarm_set(const struct call *call)
{
	struct rfs_timer *timer = interval_timer(call, ITIMER_REAL);
	const struct itimerspec spec = {.it_value.tv_sec = (unsigned)call->args[0]};
	struct itimerspec before;

	read_setting(call->run, timer, &before);
	timers_arm(call, timer, &spec, false);
	timer_armed(call, timer);
	/* the kernel rounds to the nearest second, but never to 0 if some time is left */
	if (before.it_value.tv_sec == 0 && before.it_value.tv_nsec)
		return 1;
	return before.it_value.tv_sec + (before.it_value.tv_nsec >= (long)RFS_NANOS / 2);
}

/* False: the kernel makes the call, because the clock is none of ours, or because there is no such clock. */
static bool answer_interval(const struct call *call, long *result)
{
	uint64_t now;

	if (call->number != SYS_alarm && (call->args[0] > ITIMER_PROF || (!call->thread && call->args[0])))
		return false;
	if (!clock_of_call(call, CLOCK_REALTIME, &now))
		return false;
	*result = call->number == SYS_alarm	  ? alarm_set(call)
		  : call->number == SYS_setitimer ? interval_set(call)
						  : interval_get(call, call->args[1]);
	return true;
}

/* ---- timer_create ---- */

/*
 * The number of timers of other processes, which may have some of the kernel too. The kernel counts the timers of a
 * process from 0.
 */
#define FOREIGN_ID 0x100000

static int new_id(const struct call *call)
{
	const pid_t pid = rfs_task_pid(call->task);
	int id = call->thread ? 0 : FOREIGN_ID;

	for (size_t i = 0; i < rfs_timers_count(call->run); i++)
		id += call->run->kernel->timers->list[i].kind == RFS_TIMER_POSIX &&
		      call->run->kernel->timers->list[i].pid == pid;
	return id;
}

/* The kernel's id of a thread of the caller; 0: there is none. */
static pid_t thread_of_call(const struct call *call, pid_t shown)
{
	struct rfs_thread *thread;

	if (!call->thread)
		return rfs_pids_real(call->run, call->task, shown);
	thread = rfs_thread_by_tid(call->run, shown);
	return thread && thread->task ? rfs_task_tid(thread->task) : 0;
}

static long timers_create(const struct call *call)
{
	struct event event = {.signo = SIGALRM, .notify = SIGEV_SIGNAL};
	const int id = new_id(call);
	struct rfs_timer *timer;
	pid_t thread = 0;

	event.value = (uint64_t)id;
	if (call->args[1] && !call_reads(call, call->args[1], &event, sizeof(event)))
		return -EFAULT;
	if (event.notify != SIGEV_NONE && (event.signo < 1 || event.signo > 64))
		return -EINVAL;
	if (event.notify & SIGEV_THREAD_ID)
		thread = thread_of_call(call, event.thread);
	if ((event.notify & SIGEV_THREAD_ID) && !thread)
		return -EINVAL;
	if (!call_writes(call, call->args[2], &id, sizeof(id)))
		return -EFAULT;
	timer = rfs_timer_add(call->run, RFS_TIMER_POSIX, id, rfs_task_pid(call->task));
	timer->clock = (clockid_t)call->args[0];
	timer->notify = event.notify;
	timer->signo = event.signo;
	timer->thread = thread;
	timer->value = event.value;
	return 0;
}

/* The answer to a call on a timer of timer_create(). */
static long posix_call(const struct call *call, struct rfs_timer *timer)
{
	long result;

	switch (call->number) {
	case SYS_timer_settime:
		result = timers_set(call, timer, call->args[1] & TIMER_ABSTIME);
		if (result == 0)
			timer_armed(call, timer);
		return result;
	case SYS_timer_gettime:
		return timers_get(call, timer);
	case SYS_timer_getoverrun:
		return (long)(timer->expired < INT32_MAX ? timer->expired : INT32_MAX);
	default: /* timer_delete */
		timer->gone = true;
		timer->due = RFS_NEVER;
		timer_armed(call, timer);
		return 0;
	}
}

/* False: the kernel makes the call, because the clock or the timer is none of ours. */
static bool answer_posix(const struct call *call, long *result)
{
	struct rfs_timer *timer;
	uint64_t now;

	if (call->number == SYS_timer_create) {
		if (!clock_of_call(call, (clockid_t)call->args[0], &now))
			return false;
		*result = timers_create(call);
		return true;
	}
	timer = timer_find(call, RFS_TIMER_POSIX, (int)call->args[0]);
	if (timer)
		*result = posix_call(call, timer);
	return timer;
}

/* ---- calls ---- */

static bool timers_answer(const struct call *call, long *result)
{
	bool (*answer)(const struct call *, long *);

	switch (call->number) {
	case SYS_timerfd_settime:
	case SYS_timerfd_gettime:
		answer = answer_timerfd;
		break;
	case SYS_setitimer:
	case SYS_getitimer:
	case SYS_alarm:
		answer = answer_interval;
		break;
	case SYS_timer_create:
	case SYS_timer_settime:
	case SYS_timer_gettime:
	case SYS_timer_getoverrun:
	case SYS_timer_delete:
		answer = answer_posix;
		break;
	default:
		return false;
	}
	/* virtual time passes */
	rfs_advance(call->run, call->run->time.now + CALL_NANOS);
	return answer(call, result);
}

enum rfs_then rfs_sys_timer(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct call call = {run, thread->task, thread, thread->syscall, thread->args};
	long result;

	return timers_answer(&call, &result) ? rfs_syscall_answer(thread, result) : RFS_THEN_UNDECIDED;
}

bool rfs_timers_answer(struct rfs_run *run, const struct rfs_stop *stop, long *result)
{
	const struct call call = {run, stop->task, NULL, stop->number, stop->args};

	return !run->ended && timers_answer(&call, result);
}
