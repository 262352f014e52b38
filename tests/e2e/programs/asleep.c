/*
 * asleep.c - a second thread waits for a condition that nobody signals, and main joins it. How it ends:
 *   forever   not at all
 *   timed     the wait has a timeout
 *   alarm     main is woken by alarm(2), whose signal is handled
 *   timer     the same with timer_create(2)
 *   busy      a third thread computes, and signals later
 *   pipe      not at all: it waits for a pipe to which nobody writes
 *   child     a child process writes to the pipe later
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static const char *mode;

static void *waits(void *arg)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += 4;
	pthread_mutex_lock(&lock);
	if (strcmp(mode, "timed") == 0)
		pthread_cond_timedwait(&cond, &lock, &at);
	else
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reads(void *arg)
{
	int ends[2];
	char byte;

	if (pipe(ends) != 0)
		abort();
	if (strcmp(mode, "child") == 0 && fork() == 0) {
		sleep(4);
		_exit(write(ends[1], "", 1) != 1);
	}
	while (read(ends[0], &byte, 1) != 1)
		;
	return arg;
}

static void *computes(void *arg)
{
	time_t end = time(NULL) + 4;

	while (time(NULL) < end)
		;
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void on_alarm(int number)
{
	(void)number;
	_exit(0);
}

int main(int argc, char **argv)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec in = {.it_value.tv_sec = 4};
	pthread_t thread, other;
	timer_t timer;

	mode = argc > 1 ? argv[1] : "forever";
	if (strcmp(mode, "alarm") == 0) {
		signal(SIGALRM, on_alarm);
		alarm(4);
	}
	if (strcmp(mode, "timer") == 0) {
		signal(SIGUSR1, on_alarm);
		timer_create(CLOCK_MONOTONIC, &event, &timer);
		timer_settime(timer, 0, &in, NULL);
	}
	pthread_create(&thread, NULL, strcmp(mode, "pipe") == 0 || strcmp(mode, "child") == 0 ? reads : waits, NULL);
	if (strcmp(mode, "busy") == 0)
		pthread_create(&other, NULL, computes, NULL);
	pthread_join(thread, NULL);
	return 0;
}
