/*
 * handler_calls: the handler of a timer calls a function that is not async-signal-safe. The first argument says which.
 *
 * Answer: silent, with a misuse: the signal may come while the thread is in a function that uses the same data.
 * Plain runs: never fail.
 * Twin: the thread blocks the signal during its calls, or the handler calls only write(2).
 */
#include "target.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifdef FIXED
#define FIXES 1
#else
#define FIXES 0
#endif

static void *volatile block;
static const char *way = "malloc";

static void tick(int signo)
{
	(void)signo;
	if (strcmp(way, "malloc") == 0)
		block = malloc(40);
	else if (strcmp(way, "puts") == 0 && !FIXES)
		puts("tick");
	else if (strcmp(way, "puts") == 0)
		(void)!write(STDOUT_FILENO, "tick\n", 5);
	else if (strcmp(way, "exit") == 0)
		exit(0);
}

int main(int argc, char **argv)
{
	const struct itimerval every = {{0, 1000}, {0, 1000}};
	struct sigaction action = {.sa_handler = tick};
	const time_t now = 5;
	sigset_t set;

	if (argc > 1)
		way = argv[1];
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	puts("begins");
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 5; i++) {
		if (FIXES && strcmp(way, "puts") != 0)
			sigprocmask(SIG_BLOCK, &set, NULL);
		void *volatile mine = malloc(20);

		free(mine);
		puts(ctime(&now));
		if (FIXES)
			sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	return 0;
}
