/*
 * apr_cancel.c - two owners of tasks in a thread pool of APR cancel their tasks at the same time. Each waits until no
 * thread runs a task of its own. Both wait on one condition, and a thread that has finished a task signals it once: if
 * this wakes the owner of another task, the right one sleeps for ever.
 *
 * package: libaprutil1-dev
 * link: $(pkg-config --cflags --libs apr-1 apr-util-1)
 * options: --runs 2000 --explore 2000
 * expect: DEADLOCK
 */
#include <apr_atomic.h>
#include <apr_general.h>
#include <apr_thread_pool.h>
#include <pthread.h>

static apr_thread_pool_t *pool;
static apr_uint32_t ran;

static void *APR_THREAD_FUNC task(apr_thread_t *thread, void *arg)
{
	(void)thread;
	apr_atomic_inc32(&ran);
	return arg;
}

static void *owner(void *me)
{
	for (int i = 0; i < 2; i++)
		apr_thread_pool_push(pool, task, NULL, APR_THREAD_TASK_PRIORITY_NORMAL, me);
	apr_thread_pool_tasks_cancel(pool, me);
	return NULL;
}

int main(void)
{
	apr_pool_t *memory;
	pthread_t a, b;
	int first, second;

	apr_initialize();
	apr_pool_create(&memory, NULL);
	if (apr_thread_pool_create(&pool, 1, 2, memory))
		return 2;
	pthread_create(&a, NULL, owner, &first);
	pthread_create(&b, NULL, owner, &second);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	apr_thread_pool_destroy(pool);
	apr_pool_destroy(memory);
	apr_terminate();
	return ran > 4;
}
