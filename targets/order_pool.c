/*
 * order_pool: the numbers of descriptors are a pool: a thread closes the descriptor of a client after some time, and
 * another thread accepts the next client after that. The worker that answers the first client may come even later.
 *
 * Answer: failure, no race, no atomicity violation: the answer goes to the wrong client, and no call fails.
 * Plain and random runs: never fail, because the worker has answered long before its client is dropped.
 * Twin: the client is dropped after the worker has answered.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int old_client[2], next_client[2], is_taken, is_dropped;

static void tell(int *flag)
{
	pthread_mutex_lock(&lock);
	*flag = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void wait_for(const int *flag)
{
	pthread_mutex_lock(&lock);
	while (!*flag)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void *answer(void *arg)
{
#ifndef FIXED
	tell(&is_taken);
#endif
	(void)!write(old_client[0], "old", 3);
#ifdef FIXED
	tell(&is_taken);
#endif
	return arg;
}

static void *drop(void *arg)
{
	wait_for(&is_taken);
	come_late();
	close(old_client[0]);
	close(old_client[1]);
	tell(&is_dropped);
	return arg;
}

static void *accept_next(void *arg)
{
	wait_for(&is_dropped);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, next_client))
		fail("socketpair");
	return arg;
}

int main(void)
{
	pthread_t threads[3];
	char text[3];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, old_client))
		fail("socketpair");
	threads[0] = start(answer, NULL);
	threads[1] = start(drop, NULL);
	threads[2] = start(accept_next, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (recv(next_client[1], text, sizeof(text), MSG_DONTWAIT) > 0)
		fail("the answer went to the wrong client");
	return 0;
}
