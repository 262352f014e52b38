/*
 * handler_half: a timer's handler reads two variables between whose updates it may come.
 *
 * Answer: the race of the handler and the thread that it interrupts is harmful: if the signal comes between the two
 * updates, the program fails. The program has one thread.
 * Plain runs: hardly ever fail.
 * Twin: the thread blocks the signal while it makes the two updates. The pair is not even predicted.
 */
#include "target.h"
#include <signal.h>
#include <sys/time.h>

static struct {
	volatile int requests, answers;
} served;

static void tick(int signo)
{
	(void)signo;
	if (served.requests != served.answers)
		fail("half an update");
}

int main(void)
{
	const struct itimerval every = {{0, 1000}, {0, 1000}};
	struct sigaction action = {.sa_handler = tick};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 20; i++) {
#ifdef FIXED
		sigprocmask(SIG_BLOCK, &set, NULL);
#endif
		served.requests++;
		served.answers++;
#ifdef FIXED
		sigprocmask(SIG_UNBLOCK, &set, NULL);
#endif
	}
	return 0;
}
