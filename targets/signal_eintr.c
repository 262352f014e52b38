/*
 * signal_eintr: two threads that do not expect EINTR get a signal each. One is in sem_wait, the other in read on a
 * pipe.
 *
 * Answer: failure. Without SA_RESTART, a thread that already waits when its signal comes gets EINTR and aborts.
 * Plain runs: almost never fail, because the signals come before the threads wait.
 * Twin: installs the handler with SA_RESTART. The calls then continue, whenever the signal comes.
 */
#include "target.h"
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

sem_t wanted;
int ends[2];

static void handler(int number)
{
	(void)number;
}

static void *in_sem_wait(void *arg)
{
	if (sem_wait(&wanted))
		fail("sem_wait");
	return arg;
}

static void *in_read(void *arg)
{
	char byte;

	if (read(ends[0], &byte, 1) != 1)
		fail("read");
	return arg;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handler};
	pthread_t threads[2];

#ifdef FIXED
	action.sa_flags = SA_RESTART;
#endif
	sigaction(SIGUSR1, &action, NULL);
	sem_init(&wanted, 0, 0);
	if (pipe(ends))
		fail("pipe");
	threads[0] = start_late(in_sem_wait, NULL, 2);
	threads[1] = start_late(in_read, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_kill(threads[i], SIGUSR1);
	sem_post(&wanted);
	if (write(ends[1], "x", 1) != 1)
		fail("write");
	for (int i = 0; i < 2; i++)
		join(threads[i]);
	puts("restarted");
	return 0;
}
