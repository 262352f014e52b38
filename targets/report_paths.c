/*
 * report_paths: what may become of the reports of another tool. Two threads change a counter without a lock, another
 * one under a lock, and a third one only if the program has an argument. A fourth one is changed before the second
 * thread is created, and read by it.
 *
 * Answer: the first counter races. The accesses of the locked one and of the early one are never possible at once.
 * Those of the optional one never run without an argument, and race with one. Twin: the counters are atomic.
 */
#include "target.h"

#ifdef FIXED
#define ADD(counter) __atomic_fetch_add(&(counter), 1, __ATOMIC_SEQ_CST)
#define GET(counter) __atomic_load_n(&(counter), __ATOMIC_SEQ_CST)
#else
#define ADD(counter) ((*(volatile int *)&(counter))++)
#define GET(counter) (*(volatile int *)&(counter))
#endif

int open_count, locked_count, optional_count, early_count, optional;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void add_open(void)
{
	ADD(open_count);
}

__attribute__((noinline)) static void add_locked(void)
{
	ADD(locked_count);
}

__attribute__((noinline)) static void add_optional(void)
{
	ADD(optional_count);
}

__attribute__((noinline)) static void add_early(void)
{
	ADD(early_count);
}

__attribute__((noinline)) static int get_early(void)
{
	return GET(early_count);
}

static void *work(void *arg)
{
	add_open();
	pthread_mutex_lock(&lock);
	add_locked();
	pthread_mutex_unlock(&lock);
	if (optional)
		add_optional();
	return get_early() == 1 ? arg : NULL;
}

int main(int argc, char **argv)
{
	pthread_t first, second;

	(void)argv;
	optional = argc > 1;
	add_early();
	first = start(work, NULL);
	second = start(work, NULL);
	join(first);
	join(second);
	puts("done");
	return 0;
}
