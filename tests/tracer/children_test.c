/*
 * children_test.c - child processes stay attached all their life. They have breakpoints only if they share memory with
 * the program.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/tracer/harness.h"

TestSuite(children, .timeout = 60);

/* How often marked() was hit in the program and in child processes. */
struct hits {
	int own, child;
	bool armed;
};

static bool count_hits(struct run *run, const struct rfs_stop *stop)
{
	struct hits *hits = run->data;
	pid_t pid = rfs_task_pid(stop->task);

	if (stop->kind == RFS_STOP_EXEC && !hits->armed) {
		run_modules(run, stop);
		run_break(stop, run_symbol(run, NULL, "marked"));
		hits->armed = true;
		return false;
	}
	if (stop->kind == RFS_STOP_BREAKPOINT && !run_modules(run, stop)) {
		*(pid == rfs_tracer_pid(run->tracer) ? &hits->own : &hits->child) += 1;
		return false;
	}
	if (stop->kind == RFS_STOP_FORK)
		cr_expect_neq(rfs_task_space(stop->child), rfs_task_space(stop->task));
	if (stop->kind == RFS_STOP_VFORK || stop->kind == RFS_STOP_CLONE)
		cr_expect_eq(rfs_task_space(stop->child), rfs_task_space(stop->task));
	if (stop->kind == RFS_STOP_NEW)
		cr_expect_eq(pid, rfs_task_tid(stop->task));
	return stop->kind == RFS_STOP_BREAKPOINT;
}

static void run_children(struct run *run, struct hits *hits, const char *how, const char *argument)
{
	const char *argv[] = {program("children", "", ""), how, argument, "20", NULL};

	*hits = (struct hits){0};
	run_start(run, NULL, argv);
	run->data = hits;
	run_all(run, count_hits);
	run_end(run);
}

Test(children, fork)
{
	struct hits hits;
	struct run run;

	run_children(&run, &hits, "fork", NULL);
	cr_expect_eq(run.status, 6);
	cr_expect_eq(run.stops[RFS_STOP_FORK], 1);
	cr_expect_eq(hits.own, 1);
	cr_expect_eq(hits.child, 0, "the child's copy has no breakpoints");
}

static bool count_hits_after_fork(struct run *run, const struct rfs_stop *stop)
{
	if (stop->kind == RFS_STOP_FORK) {
		cr_expect(stop->taken);
		cr_expect_eq(rfs_task_space(stop->child), run->space);
		cr_expect_neq(rfs_task_space(stop->task), run->space);
		cr_expect_eq(rfs_task_pid(stop->child), rfs_tracer_pid(run->tracer));
		return false;
	}
	if (stop->kind == RFS_STOP_EXEC)
		rfs_tracer_take_fork(run->tracer, 1);
	return count_hits(run, stop);
}

Test(children, takes_the_place_of_its_parent)
{
	const char *argv[] = {program("children", "", ""), "fork", NULL};
	struct hits hits = {0};
	struct run run;

	run_start(&run, NULL, argv);
	run.data = &hits;
	run_all(&run, count_hits_after_fork);
	run_end(&run);
	cr_expect_eq(run.stops[RFS_STOP_FORK], 1);
	cr_expect_eq(hits.own, 1);
	cr_expect_eq(hits.child, 0, "the parent has no breakpoints any more");
}

static bool count_hits_of_both(struct run *run, const struct rfs_stop *stop)
{
	const rfs_addr marked = run_symbol(run, NULL, "marked");
	unsigned char byte = 0;

	if (stop->kind == RFS_STOP_FORK) {
		cr_expect(stop->kept);
		cr_expect_neq(rfs_task_space(stop->child), run->space);
		cr_expect_eq(rfs_breakpoint_at(rfs_task_space(stop->child), marked),
			     rfs_breakpoint_at(run->space, marked));
		return false;
	}
	if (stop->kind == RFS_STOP_EXEC)
		rfs_tracer_keep_forks(run->tracer, true);
	/* what the child changes concerns both, as long as it is there */
	if (stop->kind == RFS_STOP_BREAKPOINT && rfs_task_space(stop->task) != run->space) {
		rfs_breakpoint_remove(rfs_task_space(stop->task), rfs_breakpoint_at(run->space, marked));
		cr_expect_not(rfs_breakpoint_at(run->space, marked));
		cr_expect_eq(rfs_space_read(run->space, marked, &byte, 1), 0);
		cr_expect_neq(byte, 0xcc);
		run_break(stop, marked);
		cr_expect(rfs_breakpoint_at(run->space, marked));
	}
	return count_hits(run, stop);
}

Test(children, stays_under_control)
{
	const char *argv[] = {program("children", "", ""), "fork", NULL};
	struct hits hits = {0};
	struct run run;

	run_start(&run, NULL, argv);
	run.data = &hits;
	run_all(&run, count_hits_of_both);
	run_end(&run);
	cr_expect_eq(run.status, 6);
	cr_expect_eq(run.stops[RFS_STOP_FORK], 1);
	cr_expect_eq(hits.own, 1);
	cr_expect_eq(hits.child, 1, "the child has the breakpoints of its parent");
}

Test(children, vfork)
{
	struct hits hits;
	struct run run;

	run_children(&run, &hits, "vfork", NULL);
	cr_expect_eq(run.status, 6);
	cr_expect_eq(run.stops[RFS_STOP_VFORK], 1);
	cr_expect_eq(run.stops[RFS_STOP_VFORK_DONE], 1);
	cr_expect_eq(hits.own, 1);
	cr_expect_eq(hits.child, 1);
}

Test(children, share_memory_without_being_threads)
{
	struct hits hits;
	struct run run;

	run_children(&run, &hits, "clone", NULL);
	cr_expect_eq(run.status, 6);
	cr_expect_eq(run.stops[RFS_STOP_CLONE], 1);
	cr_expect_eq(hits.own, 1);
	cr_expect_eq(hits.child, 1);
}

static int threads_of_child;

static bool count_threads(struct run *run, const struct rfs_stop *stop)
{
	if (stop->kind == RFS_STOP_CLONE) {
		cr_expect_neq(rfs_task_pid(stop->child), rfs_tracer_pid(run->tracer));
		cr_expect_neq(rfs_task_space(stop->child), run->space);
		threads_of_child++;
	}
	return false;
}

Test(children, spawned_with_threads)
{
	const char *threads = program("threads", "", "");
	const char *argv[] = {program("children", "", ""), "spawn", threads, "20", NULL};
	struct run run;

	cr_expect_eq(run_program(&run, argv, count_threads), 21);
	cr_expect_eq(run.stops[RFS_STOP_EXEC], 2);
	cr_expect_eq(threads_of_child, 20);
}

Test(children, of_a_shell)
{
	const char *argv[] = {"/bin/sh", "-c", "a=$(echo one | cat); (exit 3); echo $a $?", NULL};
	struct run run;

	cr_expect_eq(run_program(&run, argv, NULL), 0);
	cr_expect_str_eq(run.output, "one 3\n");
	cr_expect_eq(run.stops[RFS_STOP_FORK] + run.stops[RFS_STOP_VFORK] + 1,
		     run.stops[RFS_STOP_EXITED] + run.stops[RFS_STOP_KILLED]);
}

static bool kill_new(struct run *run, const struct rfs_stop *stop)
{
	(void)run;
	if (stop->kind == RFS_STOP_NEW)
		kill(rfs_task_pid(stop->task), SIGKILL);
	return false;
}

Test(children, killed_at_once)
{
	const char *argv[] = {program("children", "", ""), "fork", NULL};
	struct run run;

	cr_expect_eq(run_program(&run, argv, kill_new), 1);
	cr_expect_eq(run.stops[RFS_STOP_KILLED], 1);
}
