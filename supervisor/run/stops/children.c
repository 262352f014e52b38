/*
 * children.c - the tasks of the target's child processes.
 *
 * These tasks are traced but never scheduled. A choice waits until they are quiescent, up to a limit (quiesce.c).
 */
#include "supervisor/run/stops/children.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/stops/child_turns.h"
#include "supervisor/run/stops/children-priv.h"
#include "supervisor/run/stops/follow_run.h"
#include "supervisor/run/stops/processes.h"
#include "supervisor/run/stops/quiesce.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/tracer.h"

/*
 * How much CPU time children may use before choices no longer wait for them. The limit is above the time that starting
 * a program takes, and far below the time limits of a run.
 */
#define CHILDREN_CPU_SECONDS 0.5
/*
 * Choices wait this many seconds of real time for children that use no CPU time. Such a child may be waiting for a disk
 * or in vfork(2), or waitpid(2) has not yet reported that it stopped or ended.
 */
#define CHILDREN_IDLE_SECONDS 5

static struct rfs_children *children_of(struct rfs_run *run)
{
	if (!run->children)
		run->children = xcalloc(1, sizeof(*run->children));
	return run->children;
}

struct rfs_child *rfs_child_of(const struct rfs_run *run, const struct rfs_task *task)
{
	for (size_t i = 0; i < run->n_children; i++)
		if (run->children->list[i].task == task)
			return &run->children->list[i];
	return NULL;
}

bool rfs_children_seen(struct rfs_run *run, struct rfs_task *task)
{
	struct rfs_children *children;

	if (rfs_task_pid(task) == rfs_tracer_pid(run->tracer))
		return false; /* the program's own thread, which is about to end */
	if (!rfs_tracer_pid(run->tracer) || rfs_follow_is_above(run, rfs_task_pid(task)))
		return false; /* the program does not depend on processes of the wrapper (--follow) */
	if (rfs_child_of(run, task))
		return true;
	children = children_of(run);
	children->list = xreallocarray(children->list, run->n_children + 1, sizeof(*children->list));
	children->list[run->n_children++] = (struct rfs_child){.task = task};
	run->result->counts.children++;
	return true;
}

void rfs_children_gone(struct rfs_run *run, const struct rfs_task *task)
{
	struct rfs_children *children = run->children;

	for (size_t i = 0; i < run->n_children; i++)
		if (children->list[i].task == task)
			children->list[i--] = children->list[--run->n_children];
	if (children && children->turn == task)
		children->turn = NULL;
}

bool rfs_child_has_others(const struct rfs_run *run, const struct rfs_task *task)
{
	struct rfs_children *children = run->children;

	for (size_t i = 0; i < run->n_children; i++)
		if (children->list[i].task != task && rfs_task_pid(children->list[i].task) == rfs_task_pid(task))
			return true;
	return false;
}

bool rfs_child_moves(const struct rfs_run *run, const struct rfs_child *c)
{
	if (c->held)
		return false;
	switch (rfs_task_state(c->task)) {
	case 'D':
		return !c->vforks;
	case 'R':
	case 't':
		return true;
	case 'Z':
		/* a child's first thread stays a zombie until the others have ended too */
		return !rfs_child_has_others(run, c->task);
	default:
		return false;
	}
}

/* Call this if the children take too long. Choices no longer wait for them until they are seen quiescent. */
static void leave_children(struct rfs_run *run)
{
	struct rfs_children *children = run->children;

	for (size_t i = 0; i < run->n_children; i++) {
		struct rfs_child *c = &children->list[i];

		c->loose = c->loose || c->held || rfs_child_moves(run, c);
	}
	rfs_child_turns_free(run);
	rfs_run_warn(run, "child processes were at work for so long that the program went on before they had finished; "
			  "a replay may differ");
	run->result->nondet.kinds |= 1u << RFS_NONDET_PROCESSES;
}

bool rfs_children_move(struct rfs_run *run, struct rfs_quiesce *quiesce)
{
	struct rfs_children *children = run->children;
	bool moves = false, runs = false;
	double now, cpu;

	for (size_t i = 0; i < run->n_children; i++) {
		struct rfs_child *c = &children->list[i];
		bool moving = c->held || rfs_child_moves(run, c);

		c->loose = c->loose && moving;
		moves = moves || (moving && !c->loose);
		runs = runs || (moving && !c->loose && (c->held || rfs_task_state(c->task) == 'R'));
	}
	if (!moves)
		return false;
	now = rfs_clock();
	cpu = rfs_tracer_cpu_seconds(run->tracer);
	if (!quiesce->waits) {
		*quiesce = (struct rfs_quiesce){.waits = true, .cpu = cpu, .idle_since = now};
	} else {
		if (runs)
			quiesce->idle_since = now;
		if (cpu - quiesce->cpu > CHILDREN_CPU_SECONDS || now - quiesce->idle_since > CHILDREN_IDLE_SECONDS) {
			leave_children(run);
			return false;
		}
	}
	return true;
}

/* Whether the task sleeps for a limited time, or waits for something with a timeout. */
static bool children_sleeps(const struct rfs_task *task)
{
	unsigned long args[6];

	if (rfs_task_state(task) != 'S')
		return false;
	switch (rfs_task_syscall(task, args)) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_restart_syscall:
		return true;
	case SYS_poll:
		return (int)args[2] > 0;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int)args[3] > 0;
	case SYS_ppoll:
	case SYS_rt_sigtimedwait:
		return args[2] != 0;
	case SYS_select:
	case SYS_pselect6:
		return args[4] != 0;
	case SYS_futex:
	case SYS_epoll_pwait2:
		return args[3] != 0;
	default:
		return false;
	}
}

bool rfs_children_sleep(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_children; i++)
		if (children_sleeps(run->children->list[i].task))
			return true;
	return false;
}

void rfs_children_vfork(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_child *child = rfs_child_of(run, stop->task);

	if (child)
		child->vforks = stop->kind == RFS_STOP_VFORK;
}

void rfs_children_note_thread(struct rfs_run *run, const struct rfs_stop *stop)
{
	pid_t pid = rfs_task_pid(stop->task);
	struct rfs_run_result *r = run->result;
	struct rfs_children *children;
	char file[PATH_MAX];

	if (!stop->child || rfs_task_pid(stop->child) != pid || !rfs_tracer_pid(run->tracer) ||
	    rfs_follow_is_above(run, pid))
		return;
	rfs_processes_threaded(run, pid);
	children = children_of(run);
	for (size_t i = 0; i < children->n_threaded; i++)
		if (children->threaded[i] == pid)
			return;
	children->threaded = xreallocarray(children->threaded, children->n_threaded + 1, sizeof(*children->threaded));
	children->threaded[children->n_threaded++] = pid;
	if (rfs_process_file(pid, file, sizeof(file)))
		return;
	r->threaded = xreallocarray(r->threaded, r->n_threaded + 1, sizeof(*r->threaded));
	r->threaded[r->n_threaded++] = xstrdup(strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
}

void rfs_children_release(struct rfs_run *run)
{
	if (!run->children)
		return;
	free(run->children->list);
	free(run->children->threaded);
	free(run->children);
}

void rfs_children_note_32_bit(struct rfs_run *run)
{
	rfs_run_warn(run,
		     "a child process made 32-bit or x32 system calls; rfsup does not translate the ids, ports and "
		     "times in them, so a failure that follows may be due to rfsup");
}
