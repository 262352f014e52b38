/*
 * faults_eintr: a program has a handler for SIGUSR1 without SA_RESTART, and takes each error of read() for the end.
 *
 * Answer: nothing without --faults eintr. With it, a message is lost.
 * Plain runs: never, because nobody sends the signal.
 * Twin: reads again after EINTR.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define MESSAGES 3

static int ends[2];

static void reopen_log(int signo)
{
	(void)signo;
}

static void *receive(void *arg)
{
	int *received = arg;
	char byte;

	for (;;) {
		ssize_t n = read(ends[0], &byte, 1);

#ifdef FIXED
		if (n < 0 && errno == EINTR)
			continue;
#endif
		if (n <= 0)
			break;
		++*received;
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = reopen_log};
	int received = 0;
	pthread_t reader;

	sigaction(SIGUSR1, &action, NULL);
	if (pipe(ends) != 0)
		return 1;
	if (pthread_create(&reader, NULL, receive, &received) != 0)
		return 1;
	for (int i = 0; i < MESSAGES; i++)
		while (write(ends[1], "x", 1) < 0 && errno == EINTR)
			;
	close(ends[1]);
	pthread_join(reader, NULL);
	assert(received == MESSAGES);
	puts("done");
	return 0;
}
