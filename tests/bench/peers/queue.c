/* queue: half of the threads put numbers into a bounded queue, and the other half take them. SIZE: numbers. */
#include "team.h"

#include <stdbool.h>

#define ROOM 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static long items[ROOM], put, taken, total, sum;

/* put_one() and take_one() return false if there is nothing left to do. */
static bool put_one(void)
{
	bool more;

	pthread_mutex_lock(&lock);
	while (put < total && put - taken == ROOM)
		pthread_cond_wait(&not_full, &lock);
	more = put < total;
	if (more) {
		items[put % ROOM] = put; /* PAIR */
		put++;
		pthread_cond_signal(&not_empty);
	}
	if (put == total) {
		pthread_cond_broadcast(&not_full);
		pthread_cond_broadcast(&not_empty);
	}
	pthread_mutex_unlock(&lock);
	return more;
}

static bool take_one(void)
{
	bool more;

	pthread_mutex_lock(&lock);
	while (taken < total && taken == put)
		pthread_cond_wait(&not_empty, &lock);
	more = taken < total;
	if (more) {
		sum += items[taken++ % ROOM];
		pthread_cond_signal(&not_full);
	}
	if (taken == total)
		pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&lock);
	return more;
}

static void *work(void *number)
{
	while ((intptr_t)number % 2 ? take_one() : put_one())
		continue;
	return NULL;
}

int main(int argc, char **argv)
{
	total = team_arguments(argc, argv);
	if (team_size % 2)
		return 2;
	team_run(work);
	printf("%ld\n", sum);
	return sum != total * (total - 1) / 2;
}
