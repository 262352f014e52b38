/*
 * timers.c - timerfd, setitimer, alarm and timer_create in virtual time.
 *
 * The target's timers are not armed in the kernel. rfsup stores when each timer is due, and makes the timer expire when
 * virtual time has reached that moment. Virtual time passes with operations, and jumps if no thread can continue
 * (run/idle.c). When a timerfd expires, rfsup arms it in the kernel for the next nanosecond, so that a poll finds it
 * readable. rfsup answers the read of a timerfd with the number of expirations. When a timer of another kind expires,
 * rfsup sends the timer's signal.
 */
#include "supervisor/kernel/signals/timers.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

/*
 * The virtual time that each timer call takes. So a timer that was just set has a little less than its whole time left,
 * as on a real machine.
 */
#define CALL_NANOS 1000

enum timer_kind {
	TIMER_INTERVAL, /* id: ITIMER_* */
	TIMER_POSIX,	/* id: of timer_create() */
	TIMER_FD,	/* id: our duplicate */
};

struct rfs_timer {
	enum timer_kind kind;
	int id;
	bool gone; /* timer_delete() */
	clockid_t clock;
	uint64_t due, interval; /* virtual nanoseconds; RFS_NEVER: not armed */
	uint64_t expired;  /* TIMER_FD: expirations since the last read; TIMER_POSIX: overruns of the last signal */
	int notify, signo; /* TIMER_POSIX: SIGEV_* */
	pid_t thread;	   /* SIGEV_THREAD_ID: the thread id that the target passed; 0: none */
	uint64_t value;	   /* sigev_value */
};

/* struct sigevent in the kernel's format. */
struct event {
	uint64_t value;
	int signo, notify, thread;
};

struct rfs_timers {
	struct rfs_timer *list;
	size_t n;
};

static struct rfs_timer *timer_add(struct rfs_run *run, enum timer_kind kind, int id)
{
	struct rfs_timers *timers;
	struct rfs_timer *timer;

	if (!run->kernel->timers)
		run->kernel->timers = xcalloc(1, sizeof(*run->kernel->timers));
	timers = run->kernel->timers;
	timers->list = xreallocarray(timers->list, timers->n + 1, sizeof(*timers->list));
	timer = &timers->list[timers->n++];
	*timer = (struct rfs_timer){.kind = kind, .id = id, .due = RFS_NEVER, .clock = CLOCK_REALTIME};
	return timer;
}

static size_t timers_count(const struct rfs_run *run)
{
	return run->kernel->timers ? run->kernel->timers->n : 0;
}

static struct rfs_timer *timer_find(struct rfs_run *run, enum timer_kind kind, int id)
{
	for (size_t i = 0; i < timers_count(run); i++)
		if (run->kernel->timers->list[i].kind == kind && run->kernel->timers->list[i].id == id &&
		    !run->kernel->timers->list[i].gone)
			return &run->kernel->timers->list[i];
	return NULL;
}

/* The timer of a timerfd. fd: our duplicate; the target may have several descriptors of the same timer. */
static struct rfs_timer *timer_of_fd(struct rfs_run *run, int fd)
{
	pid_t us = getpid();

	for (size_t i = 0; i < timers_count(run); i++)
		if (run->kernel->timers->list[i].kind == TIMER_FD &&
		    syscall(SYS_kcmp, us, us, KCMP_FILE, fd, run->kernel->timers->list[i].id) == 0)
			return &run->kernel->timers->list[i];
	return NULL;
}

static bool is_timerfd(int fd)
{
	char link[64], path[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	return strcmp(path, "anon_inode:[timerfd]") == 0;
}

static clockid_t timers_clock_of(int fd)
{
	char path[64], line[128];
	int clock = CLOCK_MONOTONIC;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fopen(path, "re");
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

static void timers_arm(const struct rfs_run *run, struct rfs_timer *timer, const struct itimerspec *spec, bool absolute)
{
	uint64_t value = nanos(&spec->it_value), now = rfs_clock_now(run, timer->clock);

	timer->interval = nanos(&spec->it_interval);
	timer->expired = 0;
	timer->due = RFS_NEVER;
	if (!value)
		return;
	if (absolute)
		value = value > now ? value - now : 0;
	timer->due = run->time.now + value;
}

/* Answers a *_settime() call: stores the timer's old value at `old`, and sets the new value from `new`. */
static long timers_set(struct rfs_run *run, struct rfs_timer *timer, rfs_addr new, rfs_addr old, bool absolute)
{
	struct itimerspec spec, before;

	if (!rfs_peek(run, new, &spec, sizeof(spec)))
		return -EFAULT;
	if (!valid(&spec))
		return -EINVAL;
	read_setting(run, timer, &before);
	timers_arm(run, timer, &spec, absolute);
	return old && !rfs_poke(run, old, &before, sizeof(before)) ? -EFAULT : 0;
}

static long timers_get(struct rfs_run *run, const struct rfs_timer *timer, rfs_addr to)
{
	struct itimerspec spec;

	read_setting(run, timer, &spec);
	return rfs_poke(run, to, &spec, sizeof(spec)) ? 0 : -EFAULT;
}

/* ---- timerfd ---- */

static const struct itimerspec never;

/* Lets virtual time pass for one timer call. */
static void call_begins(struct rfs_run *run)
{
	rfs_advance(run, run->time.now + CALL_NANOS);
}

enum rfs_then rfs_sys_timerfd(struct rfs_run *run, struct rfs_thread *thread)
{
	const unsigned long *args = thread->args;
	int fd = rfs_fd_duplicate(run, (int)args[0]);
	struct rfs_timer *timer;
	long result;

	call_begins(run);
	if (fd < 0 || !is_timerfd(fd)) {
		if (fd >= 0)
			close(fd);
		return RFS_THEN_UNDECIDED; /* the kernel returns the error */
	}
	timer = timer_of_fd(run, fd);
	if (timer)
		close(fd);
	else
		timer = timer_add(run, TIMER_FD, fd);
	timer->clock = timers_clock_of(timer->id);
	if (thread->syscall == SYS_timerfd_settime) {
		result = timers_set(run, timer, args[2], args[3], args[1] & TFD_TIMER_ABSTIME);
		if (result == 0)
			timerfd_settime(timer->id, 0, &never, NULL);
	} else {
		result = timers_get(run, timer, args[1]);
	}
	return rfs_syscall_answer(thread, result);
}

bool rfs_timers_read(struct rfs_run *run, struct rfs_thread *thread, int fd, long *result)
{
	struct rfs_timer *timer = rfs_timers_any(run) ? timer_of_fd(run, fd) : NULL;

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
	timerfd_settime(timer->id, 0, &never, NULL);
	return true;
}

/* ---- the signals of timers ---- */

/* The signal that the timer sends; 0: none. */
static int timer_signal(const struct rfs_timer *timer)
{
	static const int signals[] = {[ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF};

	switch (timer->kind) {
	case TIMER_INTERVAL:
		return signals[timer->id];
	case TIMER_POSIX:
		return timer->notify == SIGEV_NONE ? 0 : timer->signo;
	case TIMER_FD:
		break;
	}
	return 0;
}

/* The timer was set by the thread. */
static void timer_armed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_timer *timer)
{
	const int signo = timer_signal(timer);

	if (signo)
		rfs_signal_armed(run, thread, signo, timer->due != RFS_NEVER);
}

static struct rfs_timer *first_of_signal(const struct rfs_run *run, int signo)
{
	struct rfs_timer *first = NULL;

	for (size_t i = 0; i < timers_count(run); i++) {
		struct rfs_timer *timer = &run->kernel->timers->list[i];

		if (timer_signal(timer) == signo && timer->due != RFS_NEVER && (!first || timer->due < first->due))
			first = timer;
	}
	return first;
}

uint64_t rfs_timers_due(const struct rfs_run *run, int signo, struct rfs_thread **to)
{
	const struct rfs_timer *timer = first_of_signal(run, signo);
	struct rfs_thread *thread = timer && timer->thread ? rfs_thread_by_tid(run, timer->thread) : NULL;

	if (thread)
		*to = thread;
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

/* ---- setitimer, alarm ---- */

static struct rfs_timer *interval_timer(struct rfs_run *run, int which)
{
	struct rfs_timer *timer = timer_find(run, TIMER_INTERVAL, which);

	return timer ? timer : timer_add(run, TIMER_INTERVAL, which);
}

static long interval_get(struct rfs_run *run, int which, rfs_addr to)
{
	struct itimerspec spec;
	struct itimerval value;

	read_setting(run, interval_timer(run, which), &spec);
	TIMESPEC_TO_TIMEVAL(&value.it_value, &spec.it_value);
	TIMESPEC_TO_TIMEVAL(&value.it_interval, &spec.it_interval);
	return to && !rfs_poke(run, to, &value, sizeof(value)) ? -EFAULT : 0;
}

static long interval_set(struct rfs_run *run, struct rfs_thread *thread)
{
	int which = (int)thread->args[0];
	struct itimerval value = {0};
	struct itimerspec spec;
	long result;

	if (thread->args[1] && !rfs_peek(run, thread->args[1], &value, sizeof(value)))
		return -EFAULT;
	TIMEVAL_TO_TIMESPEC(&value.it_value, &spec.it_value);
	TIMEVAL_TO_TIMESPEC(&value.it_interval, &spec.it_interval);
	if (!valid(&spec))
		return -EINVAL;
	result = interval_get(run, which, thread->args[2]);
	if (result == 0) {
		timers_arm(run, interval_timer(run, which), &spec, false);
		timer_armed(run, thread, interval_timer(run, which));
	}
	return result;
}

static long alarm_set(struct rfs_run *run, struct rfs_thread *thread, unsigned seconds)
{
	struct rfs_timer *timer = interval_timer(run, ITIMER_REAL);
	const struct itimerspec spec = {.it_value.tv_sec = seconds};
	struct itimerspec before;

	read_setting(run, timer, &before);
	timers_arm(run, timer, &spec, false);
	timer_armed(run, thread, timer);
	/* the kernel rounds to the nearest second, but never to 0 if some time is left */
	if (before.it_value.tv_sec == 0 && before.it_value.tv_nsec)
		return 1;
	return before.it_value.tv_sec + (before.it_value.tv_nsec >= (long)RFS_NANOS / 2);
}

static bool is_interval(const struct rfs_thread *thread)
{
	return thread->args[0] <= ITIMER_PROF;
}

enum rfs_then rfs_sys_setitimer(struct rfs_run *run, struct rfs_thread *thread)
{
	call_begins(run);
	return rfs_syscall_answer(thread, is_interval(thread) ? interval_set(run, thread) : -EINVAL);
}

enum rfs_then rfs_sys_getitimer(struct rfs_run *run, struct rfs_thread *thread)
{
	call_begins(run);
	if (!is_interval(thread))
		return rfs_syscall_answer(thread, -EINVAL);
	return rfs_syscall_answer(thread, interval_get(run, (int)thread->args[0], thread->args[1]));
}

enum rfs_then rfs_sys_alarm(struct rfs_run *run, struct rfs_thread *thread)
{
	call_begins(run);
	return rfs_syscall_answer(thread, alarm_set(run, thread, (unsigned)thread->args[0]));
}

/* ---- timer_create ---- */

static long timers_create(struct rfs_run *run, struct rfs_thread *thread)
{
	struct event event = {.signo = SIGALRM, .notify = SIGEV_SIGNAL};
	struct rfs_timer *timer;
	int id = 0;

	for (size_t i = 0; i < timers_count(run); i++)
		id += run->kernel->timers->list[i].kind == TIMER_POSIX;
	event.value = (uint64_t)id;
	if (thread->args[1] && !rfs_peek(run, thread->args[1], &event, sizeof(event)))
		return -EFAULT;
	if (event.notify != SIGEV_NONE && (event.signo < 1 || event.signo > 64))
		return -EINVAL;
	if ((event.notify & SIGEV_THREAD_ID) && !rfs_thread_by_tid(run, event.thread))
		return -EINVAL;
	if (!rfs_poke(run, thread->args[2], &id, sizeof(id)))
		return -EFAULT;
	timer = timer_add(run, TIMER_POSIX, id);
	timer->clock = (clockid_t)thread->args[0];
	timer->notify = event.notify;
	timer->signo = event.signo;
	timer->thread = event.notify & SIGEV_THREAD_ID ? event.thread : 0;
	timer->value = event.value;
	return 0;
}

enum rfs_then rfs_sys_timer_create(struct rfs_run *run, struct rfs_thread *thread)
{
	call_begins(run);
	return rfs_syscall_answer(thread, timers_create(run, thread));
}

/* The answer to a call on a timer of timer_create(). */
static long posix_call(struct rfs_run *run, struct rfs_thread *thread, struct rfs_timer *timer)
{
	long result;

	switch (thread->syscall) {
	case SYS_timer_settime:
		result = timers_set(run, timer, thread->args[2], thread->args[3], thread->args[1] & TIMER_ABSTIME);
		if (result == 0)
			timer_armed(run, thread, timer);
		return result;
	case SYS_timer_gettime:
		return timers_get(run, timer, thread->args[1]);
	case SYS_timer_getoverrun:
		return (long)(timer->expired < INT32_MAX ? timer->expired : INT32_MAX);
	default: /* timer_delete */
		timer->gone = true;
		timer->due = RFS_NEVER;
		timer_armed(run, thread, timer);
		return 0;
	}
}

enum rfs_then rfs_sys_timer(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_timer *timer = timer_find(run, TIMER_POSIX, (int)thread->args[0]);

	call_begins(run);
	return rfs_syscall_answer(thread, timer ? posix_call(run, thread, timer) : -EINVAL);
}

/* ---- expiry ---- */

static void send_posix(struct rfs_run *run, const struct rfs_timer *timer)
{
	siginfo_t info = {.si_signo = timer->signo, .si_code = SI_TIMER};
	struct rfs_thread *thread = timer->thread ? rfs_thread_by_tid(run, timer->thread) : NULL;
	pid_t pid = rfs_tracer_pid(run->tracer);

	if (timer->notify == SIGEV_NONE)
		return;
	run->kernel->kills = run->kernel->kills || timer->signo == SIGKILL;
	info.si_timerid = timer->id;
	info.si_overrun = (int)timer->expired;
	memcpy(&info.si_value, &timer->value, sizeof(timer->value));
	if (thread && thread->task)
		syscall(SYS_rt_tgsigqueueinfo, pid, rfs_task_tid(thread->task), timer->signo, &info);
	else if (!timer->thread)
		syscall(SYS_rt_sigqueueinfo, pid, timer->signo, &info);
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
	case TIMER_FD:
		timer->expired += times;
		timerfd_settime(timer->id, 0, &at_once, NULL);
		/*
		 * waits until the timerfd has expired in the kernel; otherwise real time would decide whether the next
		 * poll finds it readable
		 */
		while (!rfs_fd_readable(timer->id))
			;
		break;
	case TIMER_POSIX:
		timer->expired = times - 1;
		send_posix(run, timer);
		break;
	case TIMER_INTERVAL:
		kill(rfs_tracer_pid(run->tracer), timer_signal(timer));
		run->signals = true;
		break;
	}
}

bool rfs_timers_fire(struct rfs_run *run)
{
	bool fired = false;

	for (size_t i = 0; i < timers_count(run); i++) {
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

	for (size_t i = 0; i < timers_count(run); i++)
		if (run->kernel->timers->list[i].due < next)
			next = run->kernel->timers->list[i].due;
	return next;
}

unsigned rfs_timers_ready(const struct rfs_run *run, bool available, uint64_t deadline, bool signals_only)
{
	for (size_t i = 0; i < timers_count(run); i++) {
		const struct rfs_timer *timer = &run->kernel->timers->list[i];

		if (timer->due < deadline && !(signals_only && timer->kind == TIMER_FD))
			return rfs_ready_timed(run, available, RFS_NEVER);
	}
	return rfs_ready_timed(run, available, deadline);
}

bool rfs_timers_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info)
{
	siginfo_t shown = {.si_signo = info->si_signo, .si_code = SI_KERNEL};

	if (info->si_code != SI_USER || info->si_pid != getpid() || !rfs_timers_any(run))
		return false;
	if (info->si_signo != SIGALRM && info->si_signo != SIGVTALRM && info->si_signo != SIGPROF)
		return false;
	rfs_task_set_siginfo(task, &shown);
	return true;
}

bool rfs_timers_any(const struct rfs_run *run)
{
	return run->kernel->timers != NULL;
}

void rfs_timers_forked(struct rfs_run *run)
{
	struct rfs_timers *timers = run->kernel->timers;
	size_t kept = 0;

	for (size_t i = 0; i < timers_count(run); i++)
		if (timers->list[i].kind == TIMER_FD)
			timers->list[kept++] = timers->list[i];
	if (timers)
		timers->n = kept;
}

void rfs_timers_release(struct rfs_run *run)
{
	struct rfs_timers *timers = run->kernel->timers;

	if (!timers)
		return;
	for (size_t i = 0; i < timers->n; i++)
		if (timers->list[i].kind == TIMER_FD)
			close(timers->list[i].id);
	free(timers->list);
	free(timers);
}
