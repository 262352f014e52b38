/*
 * gen_pool: a pool of threads whose pause and resume lose a worker.
 *
 * Answer: gen_pool_resume() releases the workers that have parked so far. If it comes while gen_pool_pause() still
 * waits for a worker, this worker parks later and stays parked, or the pause waits for a worker that never parks.
 * Twin: a lock lets one thread at a time pause or resume.
 */
#include "gen_pool.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST 4

struct work {
	struct work *next;
	int number;
};

struct gen_pool {
	pthread_mutex_t control; /* held while the pool is paused or resumed */
	pthread_mutex_t lock;	 /* of work, sum, paused and ends */
	pthread_cond_t changed;
	struct work *work;
	long sum;
	bool paused, ends;
	atomic_size_t n_parked;
	sem_t parked, go; /* posted for each worker that parks, and for each that may continue */
	size_t n;
	pthread_t workers[MOST];
};

static void park(struct gen_pool *pool)
{
	atomic_fetch_add(&pool->n_parked, 1);
	sem_post(&pool->parked);
	sem_wait(&pool->go);
}

static void *worker(void *arg)
{
	struct gen_pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	while (!pool->ends) {
		if (pool->paused) {
			pthread_mutex_unlock(&pool->lock);
			park(pool);
			pthread_mutex_lock(&pool->lock);
		} else if (pool->work) {
			struct work *work = pool->work;

			pool->work = work->next;
			pool->sum += work->number;
			free(work);
		} else {
			pthread_cond_wait(&pool->changed, &pool->lock);
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct gen_pool *gen_pool_new(size_t n_workers)
{
	struct gen_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->control, NULL);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	sem_init(&pool->parked, 0, 0);
	sem_init(&pool->go, 0, 0);
	n_workers = n_workers < 1 ? 1 : n_workers > MOST ? MOST : n_workers;
	while (pool->n < n_workers && pthread_create(&pool->workers[pool->n], NULL, worker, pool) == 0)
		pool->n++;
	return pool;
}

void gen_pool_free(struct gen_pool *pool)
{
	gen_pool_resume(pool);
	pthread_mutex_lock(&pool->lock);
	pool->ends = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < pool->n; i++)
		pthread_join(pool->workers[i], NULL);
	while (pool->work) {
		struct work *work = pool->work;

		pool->work = work->next;
		free(work);
	}
	sem_destroy(&pool->go);
	sem_destroy(&pool->parked);
	pthread_cond_destroy(&pool->changed);
	pthread_mutex_destroy(&pool->lock);
	pthread_mutex_destroy(&pool->control);
	free(pool);
}

void gen_pool_add(struct gen_pool *pool, int number)
{
	struct work *work = malloc(sizeof(*work));

	work->number = number;
	pthread_mutex_lock(&pool->lock);
	work->next = pool->work;
	pool->work = work;
	pthread_cond_signal(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

long gen_pool_sum(struct gen_pool *pool)
{
	long sum;

	pthread_mutex_lock(&pool->lock);
	sum = pool->sum;
	pthread_mutex_unlock(&pool->lock);
	return sum;
}

/* Returns whether this changes anything. */
static bool set_paused(struct gen_pool *pool, bool paused)
{
	bool changes;

	pthread_mutex_lock(&pool->lock);
	changes = pool->paused != paused;
	pool->paused = paused;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	return changes;
}

void gen_pool_pause(struct gen_pool *pool)
{
#ifdef FIXED
	pthread_mutex_lock(&pool->control);
#endif
	if (set_paused(pool, true))
		for (size_t i = 0; i < pool->n; i++)
			sem_wait(&pool->parked);
#ifdef FIXED
	pthread_mutex_unlock(&pool->control);
#endif
}

void gen_pool_resume(struct gen_pool *pool)
{
#ifdef FIXED
	pthread_mutex_lock(&pool->control);
#endif
	if (set_paused(pool, false))
		for (size_t n = atomic_exchange(&pool->n_parked, 0); n > 0; n--)
			sem_post(&pool->go);
#ifdef FIXED
	pthread_mutex_unlock(&pool->control);
#endif
}
