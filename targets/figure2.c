/*
 * figure2 [N]: figure 2 of Sen, Race Directed Random Testing of Concurrent Programs (PLDI 2008). The more statements
 * (N, default 5) the critical sections have, the more rarely random scheduling finds the race.
 *
 * Answer: the pair on x is real and harmful: if the read comes first, ERROR aborts. A statement computes in the
 * thread's own registers; it is no visible operation and no access to memory.
 * Plain runs: almost never fail, because thread2 has ended before thread1 begins.
 * Twin: a semaphore makes thread1's read wait until thread2 has written x.
 */
#include "target.h"
#include <semaphore.h>

int x;
pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
sem_t x_written;
unsigned long statements = 5;

/* Executes n statements. Each depends on the previous one, and the assembly keeps the compiler from removing any. */
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
