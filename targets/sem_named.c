/*
 * sem_named: a named semaphore, which is opened twice, hands a value from one thread to another. sem_trywait and
 * sem_timedwait are called on it, too.
 *
 * Answer: silent. The post happens before the end of the wait.
 */
#include "target.h"
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <sys/random.h>
#include <time.h>

static sem_t *posted, *waited;
int value;

static void *give(void *arg)
{
	value = 1;
	sem_post(posted);
	return arg;
}

int main(void)
{
	struct timespec at;
	unsigned long number;
	char name[64];
	pthread_t thread;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		fail("getrandom");
	snprintf(name, sizeof(name), "/sem_named.%016lx", number);
	posted = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	waited = sem_open(name, 0);
	sem_unlink(name);
	if (posted == SEM_FAILED || waited == SEM_FAILED)
		fail("sem_open");
	if (sem_trywait(waited) == 0 || errno != EAGAIN)
		fail("sem_trywait");
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec = (at.tv_nsec + 1000000) % 1000000000;
	if (sem_timedwait(waited, &at) == 0 || errno != ETIMEDOUT)
		fail("sem_timedwait");
	thread = start(give, NULL);
	if (sem_wait(waited) || value != 1)
		fail("sem_wait");
	value = 2;
	join(thread);
	sem_close(posted);
	sem_close(waited);
	printf("%d\n", value);
	return 0;
}
