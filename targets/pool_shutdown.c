/*
 * pool_shutdown: a pool of two workers is shut down too early. Shutdown waits until the queue is empty. At that time
 * the last job may have been taken from the queue, but not be done.
 *
 * Answer: failure, no race, because the pool's mutex protects everything. If shutdown comes while a job is being done,
 * main finds fewer results than jobs and aborts.
 * Plain runs: almost never fail, because the first worker has done all jobs before the second begins.
 * Twin: shutdown also waits for the jobs that are being done.
 */
#include "target.h"

#define WORKERS 2
#define JOBS 3

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a job was added, or the pool closes */
	pthread_cond_t idle;	/* a job is done and none is queued */
	int queued, busy, done, closing;
};

struct pool pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.idle = PTHREAD_COND_INITIALIZER,
};

static void *worker(void *arg)
{
	struct pool *p = arg;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->queued && !p->closing)
			pthread_cond_wait(&p->changed, &p->lock);
		if (!p->queued)
			break;
		p->queued--;
		p->busy++;
		pthread_mutex_unlock(&p->lock);
		/* the job is done here */
		pthread_mutex_lock(&p->lock);
		p->busy--;
		p->done++;
		if (!p->queued)
			pthread_cond_signal(&p->idle);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void submit(struct pool *p, int jobs)
{
	pthread_mutex_lock(&p->lock);
	p->queued += jobs;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* Returns how many jobs were done. */
static int shut_down(struct pool *p)
{
	int done;

	pthread_mutex_lock(&p->lock);
#ifdef FIXED
	while (p->queued || p->busy)
#else
	while (p->queued)
#endif
		pthread_cond_wait(&p->idle, &p->lock);
	done = p->done;
	p->closing = 1;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return done;
}

int main(void)
{
	pthread_t threads[WORKERS];
	int done;

	for (int i = 0; i < WORKERS; i++)
		threads[i] = start_late(worker, &pool, 2 * (i + 1));
	submit(&pool, JOBS);
	done = shut_down(&pool);
	for (int i = 0; i < WORKERS; i++)
		join(threads[i]);
	if (done != JOBS)
		fail("a job was not done at shutdown");
	printf("%d jobs\n", done);
	return 0;
}
