/*
 * Some virtual machines accept debug registers, but their watchpoints never stop a program. So a child writes to a
 * watched variable, and has to stop.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/debugreg.h"

/* Debug register 0 watches writes of four bytes (Intel SDM volume 3, section 18.2). */
#define WATCH_WRITES (1ul | 1ul << 16 | 3ul << 18)

static volatile int watched;

static void __attribute__((noreturn)) write_to_it(void)
{
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
		raise(SIGSTOP);
	watched = 1;
	_exit(0);
}

/* The next stop of the child: its signal, or 0 if the child has ended. */
static int next_stop(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

bool rfs_watchpoints_fire(void)
{
	pid_t child = fork();
	bool fires = false, stopped;

	if (child < 0)
		return false;
	if (child == 0)
		write_to_it();
	stopped = next_stop(child) == SIGSTOP;
	if (stopped && ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[0]), &watched) == 0 &&
	    ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[7]), WATCH_WRITES) == 0 &&
	    ptrace(PTRACE_CONT, child, 0, 0) == 0)
		stopped = fires = next_stop(child) == SIGTRAP;
	if (stopped) {
		kill(child, SIGKILL);
		while (next_stop(child))
			;
	}
	return fires;
}
