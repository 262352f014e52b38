/* tracer-priv.h - the state of one tracer. */
#ifndef RFS_TRACER_PRIV_H
#define RFS_TRACER_PRIV_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct rfs_decoder;
struct rfs_exec_rules;
struct rfs_pending;
struct rfs_task;

struct rfs_tracer {
	struct rfs_task *tasks; /* hash by tid: all tasks that have not ended, as far as we know */
	struct rfs_task *gone;	/* list: tasks that have ended, but are not freed yet */
	struct rfs_task *last;	/* the task that was looked up last; NULL or in tasks */
	struct rfs_pending *queue;
	struct rfs_decoder *decoder;
	pid_t root;	     /* id of the process that was launched, and of its process group */
	pid_t pid;	     /* process id of the selected program; 0: not known yet */
	unsigned takes_fork; /* which of the next forks of the selected program takes its place; 0: none does */
	bool keeps_forks;    /* processes that the selected program forks stay under control */
	pid_t original; /* in the tracer of a copy (forker.h): the process that was copied. It is not one of our tasks,
			   but its tracer lends us the decoder. Otherwise 0 */
	bool killing;	/* rfs_tracer_kill() was called: only deaths are presented */
	bool watches;	/* a debug register was set */
	struct rfs_exec_rules *rules; /* for the programs that the target executes (exec.c) */
	double cpu_gone;	      /* CPU seconds of processes that have ended */

	/* the timer whose ticks interrupt waitpid() (wait.c) */
	timer_t timer;
	bool has_timer;
	int period_ms; /* 0: not armed */
	volatile sig_atomic_t ticked;
};

#endif
