/*
 * event_reply_first: a client reads the list of its requests from one pipe, and replies from another one. It looks at
 * the requests first in each round, but a request may become ready a moment after a round has looked.
 *
 * Answer: failure with --events: a reply comes before its request is registered.
 * Plain and random runs: never fail, because both are ready.
 * Twin: a reply without a request is kept for the next round.
 */
#include <poll.h>
#include <unistd.h>

#include "target.h"

int main(void)
{
	int requests[2], replies[2], registered = 0, done = 0;

	if (pipe(requests) != 0 || pipe(replies) != 0)
		fail("pipe");
	if (write(requests[1], "q", 1) != 1 || write(replies[1], "r", 1) != 1)
		fail("write");
	while (!done) {
		struct pollfd fds[] = {{.fd = requests[0], .events = POLLIN}, {.fd = replies[0], .events = POLLIN}};
		char byte;

		if (poll(fds, 2, -1) < 1)
			fail("poll");
		if (fds[0].revents && read(requests[0], &byte, 1) == 1)
			registered = 1;
		if (fds[1].revents) {
#ifdef FIXED
			if (!registered)
				continue;
#endif
			if (read(replies[0], &byte, 1) != 1 || !registered)
				fail("a reply without a request");
			done = 1;
		}
	}
	return 0;
}
