/*
 * event_settings_late: a worker gets its settings and its work through two pipes, which select(2) watches. A thread
 * writes the settings and then the work, so the worker believes that it sees the settings first.
 *
 * Answer: failure with --events: work is done without settings.
 * Plain and random runs: never fail, because the settings are there whenever the work is there.
 * Twin: the worker waits for its settings before it watches the work.
 */
#include <sys/select.h>
#include <unistd.h>

#include "target.h"

static int settings[2], work[2];

static void *give(void *arg)
{
	if (write(settings[1], "s", 1) != 1 || write(work[1], "w", 1) != 1)
		fail("write");
	return arg;
}

int main(void)
{
	int set = 0, done = 0;
	pthread_t thread;

	if (pipe(settings) != 0 || pipe(work) != 0)
		fail("pipe");
	thread = start(give, NULL);
	pthread_join(thread, NULL);
	while (!done) {
		fd_set fds;
		char byte;

		FD_ZERO(&fds);
		FD_SET(settings[0], &fds);
#ifdef FIXED
		if (set)
#endif
			FD_SET(work[0], &fds);
		if (select(FD_SETSIZE, &fds, NULL, NULL, NULL) < 1)
			fail("select");
		if (FD_ISSET(settings[0], &fds) && read(settings[0], &byte, 1) == 1)
			set = 1;
		if (FD_ISSET(work[0], &fds) && read(work[0], &byte, 1) == 1) {
			if (!set)
				fail("no settings");
			done = 1;
		}
	}
	return 0;
}
