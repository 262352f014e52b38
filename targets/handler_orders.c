/*
 * handler_orders: handlers that do nothing wrong.
 *
 * The handler of a timer sets a flag of type volatile sig_atomic_t, writes to a pipe and restores errno. The handler of
 * another one reads what the thread wrote before it armed the timer, and the thread reads what the handler wrote after
 * sigsuspend(), and after it has disarmed the timer. A third signal is taken by sigwait(). A fourth one is raised by
 * the thread itself, so its handler is a part of the thread.
 *
 * Answer: silent.
 */
#include "target.h"
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticked, raised;
static int ends[2], before, after;
static volatile int taken;

static void tick(int signo)
{
	const int saved = errno;
	const char byte = (char)signo;

	ticked = 1;
	if (write(ends[1], &byte, 1) != 1)
		fail("write");
	errno = saved;
}

static void read_before(int signo)
{
	(void)signo;
	if (before != 5)
		fail("the thread's write is missing");
	after = before + 1;
}

static void on_raise(int signo)
{
	(void)signo;
	taken++;
	raised = 1;
}

static void set_handler(int signo, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	sigaction(signo, &action, NULL);
}

int main(void)
{
	struct itimerval once = {.it_value = {0, 1000}}, never = {{0, 0}, {0, 0}};
	int signo;
	sigset_t set, none;
	char byte;

	if (pipe(ends))
		return 0;
	set_handler(SIGALRM, tick);
	setitimer(ITIMER_REAL, &once, NULL);
	for (int i = 0; i < 10 && !ticked; i++)
		taken++;
	while (read(ends[0], &byte, 1) != 1)
		;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	before = 5;
	set_handler(SIGALRM, read_before);
	setitimer(ITIMER_REAL, &once, NULL);
	sigsuspend(&none);
	if (after != 6)
		fail("the handler's write is missing");
	setitimer(ITIMER_REAL, &never, NULL);
	after = 0;

	setitimer(ITIMER_REAL, &once, NULL);
	before = 0;
	sigwait(&set, &signo);

	set_handler(SIGUSR1, on_raise);
	taken = 0;
	raise(SIGUSR1);
	if (taken != 1 || !raised)
		fail("raise");
	return 0;
}
