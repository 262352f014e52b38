/* threads_test.c - how threads begin and end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/tracer/harness.h"

TestSuite(threads, .timeout = 60);

/* New tasks in the order of their RFS_STOP_CLONE (made) and of their RFS_STOP_NEW (seen). */
struct births {
	struct rfs_task *made[256], *seen[256];
	int n_made, n_seen;
};

static bool record_births(struct run *run, const struct rfs_stop *stop)
{
	struct births *births = run->data;

	if (stop->kind == RFS_STOP_CLONE) {
		cr_expect_eq((pid_t)stop->message, rfs_task_tid(stop->child));
		cr_expect_eq(rfs_task_space(stop->child), rfs_task_space(stop->task));
		cr_expect_eq(rfs_task_pid(stop->child), rfs_tracer_pid(run->tracer));
		births->made[births->n_made++] = stop->child;
	} else if (stop->kind == RFS_STOP_NEW) {
		bool known = false;

		for (int i = 0; i < births->n_made; i++)
			known |= births->made[i] == stop->task;
		cr_expect(known, "the maker is presented first");
		/* in the new thread, clone returns 0, and the stop is right after the instruction */
		cr_expect_eq(rfs_task_regs(stop->task)->rax, 0);
		births->seen[births->n_seen++] = stop->task;
	}
	return false;
}

Test(threads, all_are_seen_before_their_first_instruction)
{
	const char *argv[] = {program("threads", "", ""), "150", NULL};
	struct births births = {.n_made = 0};
	struct run run;

	run_start(&run, NULL, argv);
	run.data = &births;
	run_all(&run, record_births);
	run_end(&run);
	cr_expect_eq(run.status, 150);
	cr_expect_eq(births.n_made, 150);
	cr_expect_eq(births.n_seen, 150);
	cr_expect_eq(run.stops[RFS_STOP_EXITING], 151);
	cr_expect_eq(run.stops[RFS_STOP_EXITED], 151);
}

static int ends(const char *how, struct run *run, on_stop *f)
{
	const char *argv[] = {program("ends", "", ""), how, "/bin/sh", "-c", "echo executed; exit 5", NULL};

	return run_program(run, argv, f);
}

static char marks[2][8] = {"first", "second"};

static bool check_exec(struct run *run, const struct rfs_stop *stop)
{
	if (stop->kind == RFS_STOP_EXEC && run->stops[RFS_STOP_EXEC] == 2) {
		cr_expect_eq(rfs_task_tid(stop->task), rfs_tracer_pid(run->tracer));
		cr_expect_neq((pid_t)stop->message, rfs_tracer_pid(run->tracer));
		cr_expect_eq(rfs_tracer_task(run->tracer, rfs_tracer_pid(run->tracer)), stop->task);
		cr_expect_null(rfs_tracer_task(run->tracer, (pid_t)stop->message));
		/* the data follow the thread that called execve */
		cr_expect_str_eq(rfs_task_data(stop->task), "second");
		/* leader and sleeper have ended before this stop */
		cr_expect_eq(run->stops[RFS_STOP_EXITED] + run->stops[RFS_STOP_KILLED], 2);
		run->ended = false;
	} else if (stop->kind == RFS_STOP_CLONE) {
		rfs_task_set_data(stop->child, marks[run->stops[RFS_STOP_CLONE] - 1]);
	}
	return false;
}

Test(threads, exec_from_another_thread)
{
	struct run run;

	cr_expect_eq(ends("exec", &run, check_exec), 5);
	cr_expect_str_eq(run.output, "executed\n");
}

Test(threads, leader_ends_first)
{
	struct run run;

	cr_expect_eq(ends("leader", &run, NULL), 22);
	cr_expect_eq(run.stops[RFS_STOP_EXITED] + run.stops[RFS_STOP_KILLED], 3);
}

Test(threads, exit_group)
{
	struct run run;

	cr_expect_eq(ends("group", &run, NULL), 21);
	cr_expect_eq(run.stops[RFS_STOP_EXITED] + run.stops[RFS_STOP_KILLED], 3);
}

Test(threads, fatal_signal)
{
	struct run run;

	cr_expect_eq(ends("signal", &run, NULL), 128 + SIGABRT);
	cr_expect_eq(run.stops[RFS_STOP_KILLED], 3);
}

static bool late_clone(struct run *run, const struct rfs_stop *stop)
{
	/* keep the creator stopped, so that the new thread's first stop arrives first */
	if (stop->kind == RFS_STOP_CLONE)
		usleep(2000);
	return record_births(run, stop);
}

Test(threads, order_of_maker_and_made)
{
	const char *argv[] = {program("threads", "", ""), "20", NULL};
	struct births births = {.n_made = 0};
	struct run run;

	run_start(&run, NULL, argv);
	run.data = &births;
	run_all(&run, late_clone);
	run_end(&run);
	cr_expect_eq(births.n_seen, 20);
}

Test(threads, interrupt)
{
	const char *argv[] = {program("stopped", "", ""), NULL};
	struct rfs_stop stop, answer;
	struct run run;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_NEW);
	run_resume(&run, &stop);
	cr_expect_eq(rfs_task_interrupt(stop.task), 0);
	answer = run_until(&run, RFS_STOP_INTERRUPT);
	cr_expect_eq(answer.task, stop.task);
	run_end(&run);
}

Test(threads, cpu_time_counts_all)
{
	const char *argv[] = {"/bin/sh", "-c",
			      "i=0; while test $i -lt 20000; do i=$((i+1)); done; (i=0; while test $i -lt "
			      "20000; do i=$((i+1)); done)",
			      NULL};
	struct rfs_stop stop;
	double used, before = 0;
	struct run run;

	run_start(&run, NULL, argv);
	while (run_wait(&run, &stop)) {
		used = rfs_tracer_cpu_seconds(run.tracer);
		cr_expect_geq(used, before - 1e-9);
		before = used;
		run_resume(&run, &stop);
	}
	cr_expect_gt(before, 0.001);
	run_end(&run);
}
