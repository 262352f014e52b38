/* signals.c - which signals mean something to the target, and which wait for one of its threads. */
#include "supervisor/kernel/signals.h"

#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

bool rfs_signal_is_ignored(const struct rfs_run *run, int signo)
{
	if (run->action_handler[signo] != (uint64_t)(uintptr_t)SIG_DFL)
		return run->action_handler[signo] == (uint64_t)(uintptr_t)SIG_IGN;
	return signo == SIGCHLD || signo == SIGCONT || signo == SIGURG || signo == SIGWINCH;
}

static unsigned long heeded(const struct rfs_run *run, unsigned long pending)
{
	unsigned long mask = 0;

	for (int signo = 1; signo <= 64; signo++)
		if ((pending >> (signo - 1) & 1) && !rfs_signal_is_ignored(run, signo))
			mask |= 1ul << (signo - 1);
	return mask;
}

bool rfs_signal_matters(const struct rfs_run *run, unsigned long mask)
{
	return heeded(run, mask) != 0;
}

/* A traced task queues even the signals that it ignores: those interrupt nothing. */
bool rfs_signal_waits(struct rfs_run *run, struct rfs_thread *thread, unsigned long *mask)
{
	unsigned long pending = 0;

	*mask = 0;
	if (rfs_task_pending_signals(thread->task, &pending) != 0)
		return false;
	*mask = heeded(run, pending);
	return *mask != 0;
}
