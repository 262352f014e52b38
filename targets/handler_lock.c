/*
 * handler_lock: the handler of a timer locks the mutex that the thread which it interrupts may hold.
 *
 * Answer: a deadlock of the thread and the handler, which waits for its own thread.
 * Plain runs: hardly ever hang.
 * Twin: the thread blocks the signal while it holds the mutex.
 */
#include "target.h"
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void tick(int signo)
{
	(void)signo;
	pthread_mutex_lock(&lock);
	entries = 0;
	pthread_mutex_unlock(&lock);
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
	for (int i = 0; i < 10; i++) {
#ifdef FIXED
		sigprocmask(SIG_BLOCK, &set, NULL);
#endif
		pthread_mutex_lock(&lock);
		entries++;
		pthread_mutex_unlock(&lock);
#ifdef FIXED
		sigprocmask(SIG_UNBLOCK, &set, NULL);
#endif
	}
	return 0;
}
