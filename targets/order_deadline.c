/*
 * order_deadline: a worker fills in the result of a job under a lock. The job is a local variable of the thread that
 * waits for it. At its deadline this thread counts the job as late, under the same lock, and leaves. The job remains in
 * the worker's hands.
 *
 * Answer: failure, no race: the worker writes to the stack of a thread that has ended. At that write it holds the lock
 * that the other thread needs before it ends.
 * Plain and random runs: never fail, because the deadline is long.
 * Twin: at its deadline the thread takes the job away from the worker.
 */
#include "late.h"
#include "target.h"

struct job {
	int input, result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job *job;
static int is_put, n_late;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!is_put)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	apart(1);
	pthread_mutex_lock(&lock);
	if (job)
		job->result = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *wait_for_job(void *arg)
{
	struct job own = {.input = 1};

	pthread_mutex_lock(&lock);
	job = &own;
	is_put = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	come_late();
	pthread_mutex_lock(&lock);
	n_late++;
#ifdef FIXED
	job = NULL;
#endif
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	threads[0] = start(work, NULL);
	threads[1] = start(wait_for_job, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
