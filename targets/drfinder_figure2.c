/*
 * drfinder_figure2: like figure 2 of Cai & Cao, Effective and Precise Dynamic Detection of Hidden Races for Java
 * Programs (FSE 2015). Each order of two critical sections hides one of two races from a happens-before
 * detector.
 *
 * Answer: hybrid detection predicts the pairs on x and y. Both are real, neither is harmful. FastTrack sees the
 * race on x only in runs in which second() locks A before first() does. Simple random scheduling rarely makes
 * such runs, because second() has more to do before that. FastTrack sees the race on y only in the other runs.
 * Plain runs: never fail.
 * Twin: a semaphore makes second() wait until first() has ended; nothing is predicted.
 */
#include "target.h"
#include <semaphore.h>

int x, y, seen_x, seen_y, shared;
pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
sem_t first_done;

static void *first(void *arg)
{
	(void)arg;
	x = 1; /* RACE: x-write */
	pthread_mutex_lock(&A);
	shared = 1;
	pthread_mutex_unlock(&A);
	y = 1; /* RACE: y-write */
#ifdef FIXED
	sem_post(&first_done);
#endif
	return NULL;
}

/* A separate function: only a run in which second() was here shows that second() can lock A. */
__attribute__((noinline)) static void use_shared(void)
{
	pthread_mutex_lock(&A);
	shared = 2;
	pthread_mutex_unlock(&A);
}

static void *second(void *arg)
{
	(void)arg;
#ifdef FIXED
	sem_wait(&first_done);
#endif
	seen_y = y; /* RACE: y-read */
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&B);
		pthread_mutex_unlock(&B);
	}
	use_shared();
	seen_x = x; /* RACE: x-read */
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&first_done, 0, 0);
	threads[1] = start(second, NULL);
	threads[0] = start(first, NULL);
	join(threads[0]);
	join(threads[1]);
	puts("done");
	return 0;
}
