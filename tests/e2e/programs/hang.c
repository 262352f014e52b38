/*
 * hang steps | cpu | long | report: main sleeps while a thread sets `done`, which takes very little time. So main finds it set
 * in every baseline run, and ends. If the sleep ends first, main continues forever: with lock operations (steps) or
 * without (cpu). With long, main makes many accesses before it sleeps. With report it does not continue forever, but
 * computes for about two seconds and ends with status 1. With -DSANITIZER the program has a function of sanitizers.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Operations of the thread. Enough of them let the sleep end first in many schedules. */
#define STEPS 20
/* Accesses of main to its own variable. Before the second thread exists, a detector would not be told of them. */
#define WORK 30000

/* Rounds of a loop that take about two seconds. */
#define REPORT 6000000000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static volatile unsigned work;

static void *finish(void *arg)
{
	for (int i = 1; i <= STEPS; i++) {
		pthread_mutex_lock(&lock);
		done = i == STEPS;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static int is_done(void)
{
	int is;

	pthread_mutex_lock(&lock);
	is = done;
	pthread_mutex_unlock(&lock);
	return is;
}

static void lock_for_ever(void)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

/* Uses only registers, so that a detector sees no access. */
static void compute(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		__asm__ volatile("" : "+r"(i));
}

#ifdef SANITIZER
void __sanitizer_print_stack_trace(void);
void __sanitizer_print_stack_trace(void)
{
}
#endif

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_t thread;

	pthread_create(&thread, NULL, finish, NULL);
	for (int i = 0; i < WORK && !strcmp(mode, "long"); i++)
		work = work + i;
	usleep(200000);
	if (!is_done()) {
		if (!strcmp(mode, "steps"))
			lock_for_ever();
		compute(strcmp(mode, "report") ? ULONG_MAX : REPORT);
		exit(1);
	}
	pthread_join(thread, NULL);
	return 0;
}
