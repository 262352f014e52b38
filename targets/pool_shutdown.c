/*
 * pool_shutdown: a pool of two workers whose shutdown forgets jobs: a worker that finds the pool closing leaves, even
 * where jobs are still queued.
 *
 * Answer: failure, no race (everything is under the pool's mutex): where shutdown comes before the last job was taken,
 * main finds fewer results than jobs and aborts.
 * Plain runs: both workers run by the time the last job comes, and it is done long before shutdown; almost never.
 * Twin: a worker leaves only when the queue is empty.
 */
#include "target.h"

#define WORKERS 2
#define JOBS 4

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a job came, or the pool closes */
	pthread_cond_t worked;	/* a job is done */
	int queued, done, closing;
};

struct pool pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.worked = PTHREAD_COND_INITIALIZER,
};

static void *worker(void *arg)
{
	struct pool *p = arg;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->queued && !p->closing)
			pthread_cond_wait(&p->changed, &p->lock);
#ifdef FIXED
		if (!p->queued)
			break;
#else
		if (p->closing)
			break;
#endif
		p->queued--;
		p->done++;
		pthread_cond_signal(&p->worked);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void submit(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->queued++;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void wait_for(struct pool *p, int jobs)
{
	pthread_mutex_lock(&p->lock);
	while (p->done < jobs)
		pthread_cond_wait(&p->worked, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static void shut_down(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->closing = 1;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

int main(void)
{
	pthread_t threads[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		threads[i] = start(worker, &pool);
	for (int i = 0; i < JOBS - 1; i++)
		submit(&pool);
	wait_for(&pool, JOBS - 1);
	submit(&pool);
	apart(1);
	shut_down(&pool);
	for (int i = 0; i < WORKERS; i++)
		join(threads[i]);
	if (pool.done != JOBS)
		fail("a job was forgotten");
	printf("%d jobs\n", pool.done);
	return 0;
}
