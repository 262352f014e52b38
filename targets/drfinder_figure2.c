/*
 * drfinder_figure2: a program in the shape of figure 2 of Cai & Cao, Effective and Precise Dynamic Detection of Hidden
 * Races for Java Programs (FSE 2015): the order of two critical sections hides one race from a happens-before detector,
 * the other order another one.
 *
 * Answer: hybrid detection predicts the pairs on x and y, and both are real; neither does harm. FastTrack sees the race
 * on x only in runs where second() has A before first() does, which it is too busy for under simple random scheduling,
 * and the race on y only in the others.
 * Plain runs: never fail.
 * Twin: a semaphore holds second() until first() is through; nothing is predicted.
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

/* That second() may come to acquire A is known only from a run that has seen it do so in here. */
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
