/*
 * guard_mutex: a thread locks a mutex whose block another thread may have freed.
 *
 * Answer: failure: use after free of the lock. With --guard-heap: SIGSEGV in the call.
 * Plain runs: never fail, because freed memory can still be accessed.
 * Twin: the block is freed after the thread has ended.
 */
#include "target.h"

struct session {
	pthread_mutex_t lock;
	int used;
};

static struct session *session;

static void *use(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&session->lock);
	pthread_mutex_unlock(&session->lock);
	return NULL;
}

static void *drop(void *arg)
{
	(void)arg;
#ifndef FIXED
	free(session);
#endif
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	session = calloc(1, sizeof(*session));
	if (!session)
		fail("calloc");
	first = start(use, NULL);
	second = start_late(drop, NULL, 2);
	join(first);
	join(second);
#ifdef FIXED
	free(session);
#endif
	return 0;
}
