/*
 * handler_count: a thread and the handler of a timer_create() timer add to the same sum.
 *
 * Answer: the race is harmful: what the handler adds between the thread's read and its write is lost.
 * Plain runs: hardly ever fail.
 * Twin: each has its own sum, and the thread reads that of the handler after it has deleted the timer.
 */
#include "target.h"
#include <signal.h>
#include <time.h>

static volatile int sum;
static volatile sig_atomic_t ticks;

#ifdef FIXED
static volatile int more;
#else
#define more sum
#endif

static void tick(int signo)
{
	(void)signo;
	ticks++;
	more = more + 1;
}

int main(void)
{
	struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	const struct itimerspec every = {{0, 500000}, {0, 500000}};
	timer_t timer;
	int total;

	sigaction(SIGUSR1, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
		return 0;
	for (int i = 0; i < 20; i++) {
		int seen = sum;

		sum = seen + 1;
	}
	timer_delete(timer);
	total = sum;
#ifdef FIXED
	total += more;
#endif
	if (total != 20 + ticks)
		fail("a tick is lost");
	return 0;
}
