/*
 * Waits for tasks.
 *
 * A wait is a plain waitpid(), so that a stop costs one system call. If the wait has a time limit, a timer's signal
 * interrupts waitpid(). The timer is periodic: a tick that arrives just before waitpid() sleeps is lost, but the next
 * one interrupts it. The deadline is checked after each tick. The timer stays armed between waits, because arming it
 * for each wait would cost more than the wait itself.
 */
#include "tracer/process/wait-priv.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/process/queue-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"

/* The signal of the timer. It is a real-time signal, so it does not conflict with alarms and timers of the caller. */
#define TICK_SIGNAL (SIGRTMIN + 6)
/* Bounds of the period, which is a quarter of the requested time. A wait exceeds its limit by at most one period. */
#define PERIOD_MIN_MS 1
#define PERIOD_MAX_MS 50

static void wait_on_tick(int signo, siginfo_t *info, void *context)
{
	struct rfs_tracer *tracer = info->si_value.sival_ptr;

	(void)signo;
	(void)context;
	if (info->si_code == SI_TIMER)
		tracer->ticked = 1;
}

static int new_timer(struct rfs_tracer *tracer)
{
	struct sigaction action = {.sa_sigaction = wait_on_tick, .sa_flags = SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
	sigset_t tick;

	event.sigev_value.sival_ptr = tracer;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	sigemptyset(&tick);
	sigaddset(&tick, TICK_SIGNAL);
	if (sigaction(TICK_SIGNAL, &action, NULL) || pthread_sigmask(SIG_UNBLOCK, &tick, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &tracer->timer))
		return -errno;
	tracer->has_timer = true;
	return 0;
}

/* Makes the timer tick every period_ms; 0: stops it. */
static int wait_arm(struct rfs_tracer *tracer, int period_ms)
{
	struct itimerspec spec = {0};

	if (period_ms == tracer->period_ms)
		return 0;
	if (!tracer->has_timer) {
		int r = new_timer(tracer);

		if (r)
			return r;
	}
	spec.it_interval.tv_sec = period_ms / 1000;
	spec.it_interval.tv_nsec = period_ms % 1000 * 1000000L;
	spec.it_value = spec.it_interval;
	if (timer_settime(tracer->timer, 0, &spec, NULL))
		return -errno;
	tracer->period_ms = period_ms;
	return 0;
}

void rfs_wait_release(struct rfs_tracer *tracer)
{
	if (tracer->has_timer)
		timer_delete(tracer->timer);
	tracer->has_timer = false;
	tracer->period_ms = 0;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int wait_prepare(struct rfs_tracer *tracer, int timeout_ms)
{
	int period = timeout_ms / 4;

	if (timeout_ms == 0)
		return 0;
	if (timeout_ms < 0)
		return wait_arm(tracer, 0);
	if (period < PERIOD_MIN_MS)
		period = PERIOD_MIN_MS;
	if (period > PERIOD_MAX_MS)
		period = PERIOD_MAX_MS;
	/* a period shorter than needed is harmless, and a change costs a system call */
	return tracer->period_ms && tracer->period_ms <= period ? 0 : wait_arm(tracer, period);
}

int64_t rfs_wait_deadline(int timeout_ms)
{
	return timeout_ms > 0 ? now_ms() + timeout_ms : 0;
}

int rfs_wait_any(struct rfs_tracer *tracer, int timeout_ms, int64_t deadline, pid_t *tid, int *status)
{
	int options = timeout_ms == 0 ? __WALL | WNOHANG : __WALL;
	int r = wait_prepare(tracer, timeout_ms);

	if (r)
		return r;
	for (;;) {
		*tid = waitpid(-1, status, options);
		if (*tid > 0)
			return 1;
		if (*tid == 0)
			return 0;
		if (errno != EINTR)
			return -errno;
		if (!tracer->ticked)
			return 0;
		tracer->ticked = 0;
		if (deadline && now_ms() >= deadline)
			return 0;
	}
}

int rfs_wait_task(struct rfs_task *task, int *status)
{
	pid_t tid;

	do
		tid = waitpid(task->tid, status, __WALL);
	while (tid < 0 && errno == EINTR);
	if (tid < 0) {
		task->state = RFS_TASK_RUNNING;
		return -ESRCH;
	}
	task->state = RFS_TASK_STOPPED;
	if (!WIFSTOPPED(*status)) {
		task->state = RFS_TASK_RUNNING;
		return rfs_queue_raw(task->tracer, task->tid, *status) ? -ENOMEM : -ESRCH;
	}
	return 0;
}
