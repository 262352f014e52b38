/*
 * owners KIND ORDER: detectors must know who owns a lock, or memory.
 *
 * KIND is a mutex type: two threads count under the mutex. Each also tries to unlock it without holding it. EPERM
 * refuses that, and it must not count as a release. ORDER "late": one thread counts without the mutex, a race.
 *
 * KIND "tls": each thread counts in its thread-local variable. Later threads have it at the same address. ORDER
 * "late": a second thread counts in the first thread's variable while the first thread lives, a race.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock;
static int counter;
static int late;
static __thread int own;
static int *volatile place;

static void must(int good)
{
	if (!good)
		_exit(3);
}

static void init_lock(const char *kind)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	if (strcmp(kind, "errorcheck") == 0)
		pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	else if (strcmp(kind, "recursive") == 0)
		pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	else if (strcmp(kind, "robust") == 0)
		pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	else if (strcmp(kind, "inherit") == 0)
		pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	else
		_exit(2);
	must(pthread_mutex_init(&lock, &attributes) == 0);
}

static void *count(void *arg)
{
	for (int i = 0; i < 3; i++) {
		must(pthread_mutex_unlock(&lock) == EPERM);
		if (!late || !arg)
			pthread_mutex_lock(&lock);
		sched_yield();
		counter++;
		if (!late || !arg)
			pthread_mutex_unlock(&lock);
	}
	return NULL;
}

__attribute__((noinline)) static int *own_place(void)
{
	return &own;
}

static void *count_own(void *arg)
{
	int *mine = own_place();

	(*mine)++;
	if (late)
		place = mine;
	usleep(1000);
	return arg;
}

static void *count_others(void *arg)
{
	(*place)++;
	return arg;
}

static void run_tls(void)
{
	pthread_t first, second;

	if (late) {
		must(pthread_create(&first, NULL, count_own, NULL) == 0);
		while (!place)
			usleep(100);
		must(pthread_create(&second, NULL, count_others, NULL) == 0);
		pthread_join(first, NULL);
		pthread_join(second, NULL);
		return;
	}
	for (int i = 0; i < 4; i++) {
		must(pthread_create(&first, NULL, count_own, NULL) == 0);
		pthread_detach(first);
		usleep(5000);
	}
}

int main(int argc, char **argv)
{
	pthread_t first, second;

	must(argc == 3);
	late = strcmp(argv[2], "late") == 0;
	if (strcmp(argv[1], "tls") == 0) {
		run_tls();
		return 0;
	}
	init_lock(argv[1]);
	must(pthread_create(&first, NULL, count, NULL) == 0);
	must(pthread_create(&second, NULL, count, &second) == 0);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
