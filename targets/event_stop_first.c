/*
 * event_stop_first: an event loop gets jobs from a queue and the order to stop from an event. When both are in one
 * batch, it must do the job before it stops, but it stops at once.
 *
 * Answer: failure with --events: a job is lost.
 * Plain and random runs: never fail, because the job came first.
 * Twin: the loop ends after the batch.
 */
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "target.h"

int main(void)
{
	const int loop = epoll_create1(0), jobs = eventfd(1, 0), stop = eventfd(1, 0);
	struct epoll_event job = {.events = EPOLLIN, .data.fd = jobs}, end = {.events = EPOLLIN, .data.fd = stop};
	int done = 0, running = 1;

	if (epoll_ctl(loop, EPOLL_CTL_ADD, jobs, &job) != 0 || epoll_ctl(loop, EPOLL_CTL_ADD, stop, &end) != 0)
		fail("epoll_ctl");
	while (running) {
		struct epoll_event events[2];
		const int n = epoll_wait(loop, events, 2, -1);
		uint64_t count;

		for (int i = 0; i < n; i++) {
			if (read(events[i].data.fd, &count, sizeof(count)) != sizeof(count))
				fail("read");
			if (events[i].data.fd == jobs)
				done = 1;
			else
				running = 0;
#ifndef FIXED
			if (!running)
				break;
#endif
		}
	}
	if (!done)
		fail("a job is lost");
	return 0;
}
