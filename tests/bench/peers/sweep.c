/*
 * sweep: each thread goes over its own part of the data, and sometimes takes a lock. For growth.c. SIZE: thousands of
 * loops of all threads; a loop reads and writes one word. After THREADS come two more arguments: megabytes of data, and
 * number of locks.
 */
#include "team.h"

#define BURST 1000 /* accesses between two uses of a lock */

static pthread_mutex_t *locks;
static unsigned long *data, words, n_locks, accesses;

static void *work(void *number)
{
	unsigned long me = (unsigned long)(intptr_t)number, part = words / (unsigned long)team_size;
	unsigned long *mine = data + me * part, at = 0, todo = accesses / (unsigned long)team_size;

	for (unsigned long done = 0; done < todo; done += BURST) {
		pthread_mutex_t *lock = &locks[(done / BURST * 7919 + me) % n_locks];

		for (unsigned long i = 0; i < BURST; i++) {
			mine[at]++;
			at = at + 1 < part ? at + 1 : 0;
		}
		pthread_mutex_lock(lock); /* PAIR */
		pthread_mutex_unlock(lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc != 5 || atol(argv[3]) < 1 || atol(argv[4]) < 1)
		return 2;
	accesses = (unsigned long)team_arguments(3, argv) * 1000;
	words = (unsigned long)atol(argv[3]) * 1000000 / sizeof(*data);
	n_locks = (unsigned long)atol(argv[4]);
	data = malloc(words * sizeof(*data));
	locks = malloc(n_locks * sizeof(*locks));
	if (!data || !locks)
		return 3;
	for (unsigned long i = 0; i < n_locks; i++)
		pthread_mutex_init(&locks[i], NULL);
	team_run(work);
	free(data);
	free(locks);
	return 0;
}
