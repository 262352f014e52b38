/*
 * three_lock: three threads and three mutexes. Thread i holds mutex i and waits for mutex i + 1.
 *
 * Answer: deadlock, a cycle of three. Two of the threads alone cannot deadlock. No race.
 * Plain runs: almost never fail, because each thread has ended before the next begins.
 * Twin: every thread locks the mutex with the lower number first.
 */
#include "target.h"

#define LOCKS 3

struct account {
	pthread_mutex_t lock;
	int balance;
};

struct account accounts[LOCKS] = {
	{PTHREAD_MUTEX_INITIALIZER, 10},
	{PTHREAD_MUTEX_INITIALIZER, 10},
	{PTHREAD_MUTEX_INITIALIZER, 10},
};

static void *transfer(void *arg)
{
	struct account *from = arg;
	struct account *to = &accounts[(from - accounts + 1) % LOCKS];
	struct account *outer = from, *inner = to;

#ifdef FIXED
	if (to < from) {
		outer = to;
		inner = from;
	}
#endif
	pthread_mutex_lock(&outer->lock);
	pthread_mutex_lock(&inner->lock); /* WAIT: next with one held */
	from->balance--;
	to->balance++;
	pthread_mutex_unlock(&inner->lock);
	pthread_mutex_unlock(&outer->lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[LOCKS];

	for (int i = 0; i < LOCKS; i++) {
		threads[i] = start_late(transfer, &accounts[i], 2 * i);
	}
	for (int i = 0; i < LOCKS; i++)
		join(threads[i]);
	printf("%d %d %d\n", accounts[0].balance, accounts[1].balance, accounts[2].balance);
	return 0;
}
