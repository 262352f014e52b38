/*
 * hang steps | cpu | long: main sleeps while a thread sets `done`, which takes very little time. So main finds it set
 * in every baseline run, and ends. If the sleep ends first, main continues forever: with lock operations (steps) or
 * without (cpu). With long, main makes many accesses before it sleeps.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* Operations of the thread. Enough of them let the sleep end first in many schedules. */
#define STEPS 20
/* Accesses of main to its own variable. Before the second thread exists, a detector would not be told of them. */
#define WORK 30000

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
static void work_for_ever(void)
{
	for (unsigned long i = 0;; i++)
		__asm__ volatile("" : "+r"(i));
}

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
		work_for_ever();
	}
	pthread_join(thread, NULL);
	return 0;
}
