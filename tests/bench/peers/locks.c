/* locks: each thread locks, counts and unlocks. SIZE: number of lock and unlock pairs of all threads. */
#include "team.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long pairs, count;

static void *work(void *number)
{
	for (long i = team_first(pairs, (intptr_t)number); i < team_first(pairs, (intptr_t)number + 1); i++) {
		pthread_mutex_lock(&lock);
		count++; /* PAIR */
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pairs = team_arguments(argc, argv);
	team_run(work);
	printf("%ld\n", count);
	return count != pairs;
}
