/*
 * figure2 [N]: figure 2 of Sen, Race Directed Random Testing of Concurrent Programs (PLDI 2008): a race that random
 * scheduling finds ever more rarely as N, the number of statements in the critical sections (default 5), grows.
 *
 * Answer: the pair on x is real and harmful: where the read goes first, ERROR aborts. A statement is real work on the
 * thread's own registers, no visible operation and no access to memory.
 * Plain runs: thread2 has ended before thread1 begins; almost never.
 * Twin: a semaphore holds thread1's read until thread2 has written x.
 */
#include "target.h"
#include <semaphore.h>

int x;
pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
sem_t x_written;
unsigned long statements = 5;

/* Runs n statements; each depends on the one before, and the assembly keeps every one of them. */
__attribute__((noinline)) static unsigned long work(unsigned long n)
{
	unsigned long value = n;

	for (unsigned long i = 0; i < n; i++) {
		value = value * 6364136223846793005ul + i;
		__asm__ volatile("" : "+r"(value));
	}
	return value;
}

static void *thread1(void *arg)
{
	unsigned long n = *(unsigned long *)arg, value;

	pthread_mutex_lock(&L);
	value = work(n);
	pthread_mutex_unlock(&L);
#ifdef FIXED
	sem_wait(&x_written);
#endif
	if (x == 0) /* RACE: x-read */
		fail("ERROR");
	return (void *)value;
}

static void *thread2(void *arg)
{
	unsigned long n = *(unsigned long *)arg, value;

	x = 1; /* RACE: x-write */
#ifdef FIXED
	sem_post(&x_written);
#endif
	pthread_mutex_lock(&L);
	value = work(n);
	pthread_mutex_unlock(&L);
	return (void *)value;
}

int main(int argc, char **argv)
{
	pthread_t first, second;

	if (argc > 1)
		statements = strtoul(argv[1], NULL, 10);
	sem_init(&x_written, 0, 0);
	second = start(thread2, &statements);
	first = start_late(thread1, &statements, 3);
	if (join(first) != join(second))
		fail("the same work, two results");
	puts("done");
	return 0;
}
