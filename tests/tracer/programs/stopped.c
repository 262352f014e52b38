/* Has two threads. Calls getppid when both are ready, and ends at SIGUSR1. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void *body(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void leave(int signo)
{
	_exit(signo);
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, leave);
	pthread_create(&thread, NULL, body, NULL);
	getppid();
	for (;;)
		pause();
}
