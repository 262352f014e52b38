/*
 * child_sleeps.c - what the program sees of its child processes depends on time limits: how often it asks before a
 * sleeping child has ended, in which order children that sleep end, and whether a poll or a select of a child times
 * out. It prints all of it. rfsup lets these limits pass in virtual time, so the output is the same in each run.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN 3
#define MS 1000000l

static volatile sig_atomic_t ends; /* calls of the handler of SIGCHLD */

static void on_child(int signo)
{
	(void)signo;
	ends++;
}

static void rest(long ms)
{
	const struct timespec t = {0, ms * MS};

	nanosleep(&t, NULL);
}

/* Sleeps in three ways; nothing is ever ready. Ends with 0 if all of them say so, and the clock too. */
static int sleep_in_child(int number)
{
	struct pollfd silent = {.events = POLLIN};
	struct timeval limit = {0, 10 * MS / 1000};
	struct timespec from, to;
	int ends_of_pipe[2];
	fd_set set;

	if (pipe(ends_of_pipe))
		return 1;
	silent.fd = ends_of_pipe[0];
	clock_gettime(CLOCK_MONOTONIC, &from);
	rest(10 * (CHILDREN - number));
	FD_ZERO(&set);
	FD_SET(silent.fd, &set);
	if (poll(&silent, 1, 10) != 0 || silent.revents || select(silent.fd + 1, &set, NULL, NULL, &limit) != 0 ||
	    FD_ISSET(silent.fd, &set))
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &to);
	return (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / MS < 30 ? 3 : 0;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_child};
	pid_t children[CHILDREN];
	int asked = 0, left = CHILDREN;

	sigaction(SIGCHLD, &action, NULL);
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(sleep_in_child(i));
	}
	while (left) {
		int status;
		pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid == 0) {
			asked++;
			rest(1);
			continue;
		}
		for (int i = 0; i < CHILDREN; i++)
			if (children[i] == pid)
				printf("child %d ended with %d after %d questions, signals: %d\n", i,
				       WEXITSTATUS(status), asked, (int)ends);
		left--;
	}
	return 0;
}
