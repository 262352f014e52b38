/* rdtsc_probe.c - a child asks for the trap, and executes rdtsc. */
#include "tracer/rdtsc.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void __attribute__((noreturn)) read_counter(void)
{
	unsigned low, high;

	signal(SIGSEGV, SIG_DFL);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	_exit(0);
}

bool rfs_rdtsc_traps(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		read_counter();
	return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}
