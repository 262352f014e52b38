/*
 * figure1: figure 1 of Sen, Race Directed Random Testing of Concurrent Programs (PLDI 2008).
 *
 * Answer: hybrid detection predicts the pairs on x and on z. The pair on z is real and harmful: if the write comes
 * first, ERROR1 aborts. The pair on x is never real, because y, which is handed over under L, orders the accesses to x.
 * So ERROR2 cannot be reached. The accesses to y are under L and therefore no pair.
 * Plain runs: ERROR1 almost never, because thread1 has ended before thread2 begins.
 * Twin: a semaphore makes thread2 wait until thread1 has read z; nothing is predicted.
 */
#include "target.h"
#include <semaphore.h>

int x, y, z;
pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
sem_t z_read;

static void *thread1(void *arg)
{
	(void)arg;
	x = 1; /* RACE: x-write */
	pthread_mutex_lock(&L);
	y = 1;
	pthread_mutex_unlock(&L);
	if (z == 1) /* RACE: z-read */
		fail("ERROR1");
#ifdef FIXED
	sem_post(&z_read);
#endif
	return NULL;
}

static void *thread2(void *arg)
{
	(void)arg;
#ifdef FIXED
	sem_wait(&z_read);
#endif
	z = 1; /* RACE: z-write */
	pthread_mutex_lock(&L);
	if (y == 1) {
		if (x != 1) /* RACE: x-read */
			fail("ERROR2");
	}
	pthread_mutex_unlock(&L);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	sem_init(&z_read, 0, 0);
	first = start(thread1, NULL);
	second = start_late(thread2, NULL, 3);
	join(first);
	join(second);
	puts("done");
	return 0;
}
