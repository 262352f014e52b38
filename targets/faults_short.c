/*
 * faults_short: a client sends a request over a stream socket, and the server reads it with one call.
 *
 * Answer: nothing without --faults short. With it, the server gets the first half of the request.
 * Plain runs: never, because a small message arrives whole.
 * Twin: reads until it has all bytes.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
	long number, check;
};

static int ends[2];

static void *serve(void *arg)
{
	struct request request = {0, 0};
	size_t got = 0;

	while (got < sizeof(request)) {
		ssize_t n = read(ends[0], (char *)&request + got, sizeof(request) - got);

		if (n <= 0)
			return NULL;
		got += (size_t)n;
#ifndef FIXED
		break;
#endif
	}
	assert(request.check == ~request.number);
	return arg;
}

int main(void)
{
	struct request request = {7, ~7L};
	pthread_t server;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 1;
	if (pthread_create(&server, NULL, serve, NULL) != 0)
		return 1;
	(void)!write(ends[1], &request, sizeof(request));
	pthread_join(server, NULL);
	puts("done");
	return 0;
}
