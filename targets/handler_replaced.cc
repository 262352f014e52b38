/*
 * handler_replaced: the handler of a timer reads an object that the thread is just replacing.
 *
 * Answer: the race on the pointer is harmful: after the delete and before the assignment, the handler uses memory that
 * was freed.
 * Plain runs: never fail, because the signal comes after the end.
 * Twin: the thread assigns the new object first, and deletes the old one while the signal is blocked.
 */
#include <csignal>
#include <cstdlib>
#include <sys/time.h>

struct Settings {
	int level = 7;
	~Settings()
	{
		level = -1;
	}
};

static Settings *volatile current;

static void show(int)
{
	if (current->level != 7)
		std::abort();
}

int main()
{
	struct sigaction action = {};
	const struct itimerval once = {{0, 0}, {0, 50000}}, never = {};
	sigset_t set;

	action.sa_handler = show;
	current = new Settings;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &action, nullptr);
	setitimer(ITIMER_REAL, &once, nullptr);
	for (int i = 0; i < 10; i++) {
		Settings *old = current;
#ifdef FIXED
		sigprocmask(SIG_BLOCK, &set, nullptr);
		current = new Settings;
		delete old;
		sigprocmask(SIG_UNBLOCK, &set, nullptr);
#else
		delete old;
		current = new Settings;
#endif
	}
	setitimer(ITIMER_REAL, &never, nullptr);
	return 0;
}
