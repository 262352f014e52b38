/*
 * child_timers.c - timers of child processes. Each child arms a timer of one kind, and waits for longer than the timer
 * lasts: the timer must end the wait, with the signal information that the kernel gives. Two more children are ready
 * before their timers. rfsup lets timers and waits pass in the same virtual time; if one of them were real, the wrong
 * one would be first. The program ends with 1 if a child saw anything else.
 */
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VALUE 17

static volatile sig_atomic_t signals, code, value;

static void on_timer(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	signals++;
	code = info->si_code;
	value = info->si_value.sival_int;
}

static void catch_signal(int signo)
{
	struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};

	sigaction(signo, &action, NULL);
}

/* Whether the wait was interrupted before its end. */
static int nap(time_t seconds)
{
	const struct timespec t = {seconds, 0};

	return nanosleep(&t, NULL) != 0;
}

static int alarm_is_first(void)
{
	catch_signal(SIGALRM);
	alarm(20);
	/* 20 seconds are left of the first one, or a little less, which is rounded */
	return alarm(1) == 20 && nap(5) && signals == 1 && code == SI_KERNEL && alarm(0) == 0;
}

static int sleep_is_first(void)
{
	catch_signal(SIGALRM);
	alarm(5);
	return !nap(1) && signals == 0 && alarm(0) == 4;
}

static int interval_comes_again(void)
{
	const struct itimerval setting = {.it_value.tv_usec = 200000, .it_interval.tv_usec = 200000};
	struct itimerval left;

	catch_signal(SIGALRM);
	setitimer(ITIMER_REAL, &setting, NULL);
	for (int i = 0; i < 3; i++)
		if (!nap(5))
			return 0;
	getitimer(ITIMER_REAL, &left);
	return signals == 3 && code == SI_KERNEL && left.it_interval.tv_usec == 200000 && left.it_value.tv_sec == 0 &&
	       left.it_value.tv_usec > 0;
}

static int posix_timer_has_its_value(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = VALUE};
	struct itimerspec setting = {.it_interval.tv_sec = 0}, left;
	timer_t timer, none;

	catch_signal(SIGUSR1);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_create(CLOCK_REALTIME, &event, &none))
		return 0;
	/* at an absolute time, a second from now */
	clock_gettime(CLOCK_MONOTONIC, &setting.it_value);
	setting.it_value.tv_sec++;
	timer_settime(timer, TIMER_ABSTIME, &setting, NULL);
	timer_gettime(timer, &left);
	return left.it_value.tv_sec <= 1 && nap(5) && signals == 1 && code == SI_TIMER && value == VALUE &&
	       timer_getoverrun(timer) == 0 && timer_delete(none) == 0 && timer_delete(none) != 0;
}

static int timerfd_is_first(void)
{
	const struct itimerspec setting = {.it_value.tv_sec = 1, .it_interval.tv_sec = 1};
	struct pollfd p = {.fd = timerfd_create(CLOCK_MONOTONIC, 0), .events = POLLIN};
	uint64_t times = 0;

	timerfd_settime(p.fd, 0, &setting, NULL);
	for (int i = 0; i < 2; i++)
		if (poll(&p, 1, 5000) != 1 || read(p.fd, &times, sizeof(times)) != sizeof(times) || times != 1)
			return 0;
	return poll(&p, 1, 500) == 0;
}

/* An alarm stays if a process executes a file. */
static int alarm_outlives_exec(void)
{
	alarm(1);
	execlp("sleep", "sleep", "5", (char *)NULL);
	return 0;
}

int main(void)
{
	static int (*const children[])(void) = {alarm_is_first,	      sleep_is_first,
						interval_comes_again, posix_timer_has_its_value,
						timerfd_is_first,     alarm_outlives_exec};
	enum { CHILDREN = sizeof(children) / sizeof(*children) };
	pid_t pids[CHILDREN];
	int wrong = 0;

	for (int i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(children[i]() ? 0 : 1);
	}
	for (int i = 0; i < CHILDREN; i++) {
		int status;

		waitpid(pids[i], &status, 0);
		printf("%d: %d\n", i, status);
		wrong += i == CHILDREN - 1 ? !WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM : status != 0;
	}
	return wrong > 0;
}
