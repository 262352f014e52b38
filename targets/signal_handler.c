/*
 * signal_handler: pthread_kill to threads that wait, without and with SA_RESTART. SIGUSR1 (no restart) goes to threads
 * in sem_wait, read on a pipe, and nanosleep. Each gets EINTR, unless the signal comes before it waits. SIGUSR2
 * (SA_RESTART) goes to the first two again. Each must continue to wait, and then get what it waits for. EINTR without a
 * SIGUSR1 since the call began is a failure. (The target signal_eintr shows that EINTR occurs at all.)
 *
 * Answer: silent. Five handlers run, and all waits end, whenever the signals come.
 */
#include "target.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

_Atomic int handled;
static _Thread_local volatile sig_atomic_t handled_here, interrupts_here;
sem_t wanted;
int ends[2];

static void handler(int number)
{
	handled++;
	handled_here = 1;
	interrupts_here |= number == SIGUSR1;
}

static void expect_interrupted(const char *call)
{
	if (errno != EINTR || !interrupts_here)
		fail(call);
	interrupts_here = 0;
}

static void *in_sem_wait(void *arg)
{
	while (sem_wait(&wanted))
		expect_interrupted("sem_wait");
	return arg;
}

static void *in_read(void *arg)
{
	char byte;

	while (read(ends[0], &byte, 1) != 1)
		expect_interrupted("read");
	return arg;
}

/* Sleeps until its signal has come, so that the signal never comes after the thread's end. */
static void *in_nanosleep(void *arg)
{
	struct timespec nap = {.tv_nsec = 500000};

	while (!handled_here) {
		if (nanosleep(&nap, NULL) && errno != EINTR)
			fail("nanosleep");
	}
	return arg;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handler};
	pthread_t threads[3];

	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &action, NULL);
	sem_init(&wanted, 0, 0);
	if (pipe(ends))
		fail("pipe");
	threads[0] = start(in_sem_wait, NULL);
	threads[1] = start(in_read, NULL);
	threads[2] = start(in_nanosleep, NULL);
	apart(1);
	for (int i = 0; i < 3; i++)
		pthread_kill(threads[i], SIGUSR1);
	apart(1);
	for (int i = 0; i < 2; i++)
		pthread_kill(threads[i], SIGUSR2);
	apart(1);
	sem_post(&wanted);
	if (write(ends[1], "x", 1) != 1)
		fail("write");
	for (int i = 0; i < 3; i++)
		join(threads[i]);
	if (handled != 5)
		fail("a handler did not run");
	printf("%d handled\n", handled);
	return 0;
}
