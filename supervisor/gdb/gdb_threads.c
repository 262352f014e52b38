/* gdb_threads.c - which threads of the run gdb sees. */
#include "supervisor/gdb/gdb_threads.h"

#include <stddef.h>

#include "supervisor/kernel/signals/timers.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"

bool rfs_gdb_shows(const struct rfs_thread *thread)
{
	/* no choice comes before the first thread, and none need come before a handler */
	const bool known = thread->gdb.known || thread->number == 0 || thread->handler.signo;

	return known && thread->task && thread->state != RFS_STATE_ENDED && thread->state != RFS_STATE_EMBRYO;
}

struct rfs_thread *rfs_gdb_any_thread(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (rfs_gdb_shows(run->threads[i]))
			return run->threads[i];
	return NULL;
}

struct rfs_thread *rfs_gdb_stand_in(const struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_thread *to;

	if (!thread || rfs_gdb_shows(thread))
		return thread;
	to = run->threads[0];
	if (thread->handler.signo)
		(void)rfs_timers_due(run, thread->handler.signo, &to);
	return rfs_gdb_shows(to) ? to : rfs_gdb_any_thread(run);
}
