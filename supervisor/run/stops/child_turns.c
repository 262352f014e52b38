/* child_turns.c - which task of the child processes may run. */
#include "supervisor/run/stops/child_turns.h"

#include <stdint.h>

#include "supervisor/kernel/ids/pids.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/stops/children-priv.h"
#include "supervisor/run/stops/quiesce.h"
#include "supervisor/run/stops/resume.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

/*
 * After so much CPU time of the target in which no turn has passed, the next task runs too. That is a compiler's work
 * for a small file, and 50 times the slice of the kernel's scheduler.
 */
#define TURN_CPU_SECONDS 0.2
/* A turn also ends after this many stops. Otherwise, a task that only asks whether another one has ended keeps it. */
#define TURN_STOPS 1000

bool rfs_child_turns_wait(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_children; i++)
		if (run->children->list[i].held)
			return true;
	return false;
}

static void child_turns_go(struct rfs_child *c)
{
	c->held = false;
	(void)rfs_resume_beside(c->task, c->how, c->signo);
}

void rfs_child_turns_resume(struct rfs_run *run, struct rfs_task *task, enum rfs_resume how, int signo)
{
	struct rfs_child *c = rfs_child_of(run, task);
	struct rfs_children *children = run->children;

	if (!c || c->loose || run->ended || how == RFS_RESUME_LISTEN ||
	    (children->turn == task && ++children->stops < TURN_STOPS)) {
		(void)rfs_resume_beside(task, how, signo);
		return;
	}
	if (children->turn == task)
		children->turn = NULL;
	c->held = true;
	c->how = how;
	c->signo = signo;
}

/* Whether a task is at work. A controlled thread that sleeps in the kernel is not: it may wait for a child. */
static bool child_turns_anybody_moves(const struct rfs_run *run)
{
	if (run->running && run->running->task && rfs_task_state(run->running->task) != 'S')
		return true;
	if (rfs_threads_move(run))
		return true;
	for (size_t i = 0; i < run->n_children; i++)
		if (rfs_child_moves(run, &run->children->list[i]))
			return true;
	return false;
}

/* The task that waits and has the next id after the last turn's, or else the smallest id. */
static struct rfs_child *child_turns_next(struct rfs_run *run)
{
	const pid_t last = run->children->last;
	struct rfs_child *next = NULL, *first = NULL;
	pid_t next_id = 0, first_id = 0;

	for (size_t i = 0; i < run->n_children; i++) {
		struct rfs_child *c = &run->children->list[i];
		const pid_t id = rfs_pids_shown(run, rfs_task_tid(c->task));

		if (!c->held)
			continue;
		if (!first || id < first_id) {
			first = c;
			first_id = id;
		}
		if (id > last && (!next || id < next_id)) {
			next = c;
			next_id = id;
		}
	}
	return next ? next : first;
}

void rfs_child_turns_pass(struct rfs_run *run)
{
	struct rfs_children *children = run->children;
	struct rfs_child *next = run->n_children ? child_turns_next(run) : NULL;
	const double cpu = next ? rfs_tracer_cpu_seconds(run->tracer) : 0;

	if (!next) {
		if (children)
			children->waits = false;
		return;
	}
	if (!children->waits) {
		children->waits = true;
		children->since = cpu;
	}
	if (child_turns_anybody_moves(run)) {
		if (cpu - children->since < TURN_CPU_SECONDS)
			return;
		run->result->nondet.kinds |= 1u << RFS_NONDET_PROCESSES;
	}
	children->turn = next->task;
	children->last = rfs_pids_shown(run, rfs_task_tid(next->task));
	children->stops = 0;
	children->since = cpu;
	child_turns_go(next);
}

void rfs_child_turns_free(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_children; i++)
		if (run->children->list[i].held)
			child_turns_go(&run->children->list[i]);
}
