/*
 * event_freed: a server with an event loop has two connections. A message on the first one ends the second one,
 * although an event of the second one may be later in the same batch.
 *
 * Answer: failure with --events: the event of a connection that has ended.
 * Plain and random runs: never fail, because the second connection is ready first.
 * Twin: events of connections that have ended are left out.
 */
#include <sys/epoll.h>
#include <unistd.h>

#include "target.h"

#define BATCH 8

struct connection {
	int in, out;
	struct connection *ends; /* the connection that a message on this one ends */
};

static int loop;

static struct connection *open_connection(struct connection *ends)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
	int ends_of_pipe[2];

	if (!connection || pipe(ends_of_pipe) != 0)
		fail("pipe");
	connection->in = ends_of_pipe[0];
	connection->out = ends_of_pipe[1];
	connection->ends = ends;
	if (epoll_ctl(loop, EPOLL_CTL_ADD, connection->in, &event) != 0)
		fail("epoll_ctl");
	return connection;
}

static void close_connection(struct connection *connection)
{
	close(connection->in);
	close(connection->out);
	connection->in = -1;
}

static void serve(struct connection *connection)
{
	char byte;

#ifdef FIXED
	if (connection->in < 0)
		return;
#endif
	if (read(connection->in, &byte, 1) != 1)
		fail("the connection has ended");
	if (connection->ends && connection->ends->in >= 0)
		close_connection(connection->ends);
}

int main(void)
{
	struct epoll_event events[BATCH];
	struct connection *second, *first;
	int n;

	loop = epoll_create1(0);
	second = open_connection(NULL);
	first = open_connection(second);
	if (write(second->out, "x", 1) != 1 || write(first->out, "x", 1) != 1)
		fail("write");
	n = epoll_wait(loop, events, BATCH, -1);
	for (int i = 0; i < n; i++)
		serve(events[i].data.ptr);
	free(second);
	free(first);
	return 0;
}
