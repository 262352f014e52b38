/*
 * order_double_free: two threads end a session: each looks whether the session is there, and frees it.
 *
 * Answer: failure, no race: both free it. This is an atomicity violation: the second thread looks between the look and
 * the free of the first one.
 * Plain and random runs: never fail, because one thread comes long after the other. Twin: a thread that finds the
 * session takes it away in the same section.
 */
#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *session;

__attribute__((noinline)) static void end_session(void)
{
	long *mine;

	pthread_mutex_lock(&lock);
	mine = session;
#ifdef FIXED
	session = NULL;
#endif
	pthread_mutex_unlock(&lock);
	if (!mine)
		return;
	pthread_mutex_lock(&lock);
	session = NULL;
	pthread_mutex_unlock(&lock);
	free(mine);
}

static void *work(void *arg)
{
	end_session();
	return arg;
}

static void *shut_down(void *arg)
{
	come_late();
	end_session();
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	session = calloc(1, sizeof(*session));
	threads[0] = start(work, NULL);
	threads[1] = start(shut_down, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
