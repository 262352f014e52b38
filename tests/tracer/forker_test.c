/* forker_test.c - copies of a program that is stopped before main. */
#include "tracer/forker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/tracer/harness.h"
#include "tracer/breakpoint.h"
#include "tracer/memory.h"

TestSuite(forker, .timeout = 60);

static rfs_addr clear_tid;

/* Launches the program and runs it until it reaches main. */
static struct rfs_stop stand_before_main(struct run *run, const char *const *argv)
{
	static const int traced[] = {SYS_set_tid_address, -1};
	const struct rfs_launch launch = {.traced = traced};
	struct rfs_stop stop;

	run_start(run, &launch, argv);
	for (;;) {
		stop = run_next(run);
		if (stop.kind == RFS_STOP_SYSCALL)
			clear_tid = stop.args[0];
		if (run_modules(run, &stop) || stop.kind == RFS_STOP_EXEC) {
			if (stop.kind == RFS_STOP_EXEC) {
				run_break(&stop, run_symbol(run, NULL, "main"));
				run_resume(run, &stop);
			}
			continue;
		}
		if (stop.kind == RFS_STOP_BREAKPOINT)
			return stop;
		run_resume(run, &stop);
	}
}

/* Runs a copy to its end. Returns its exit status, or 128 + signal. *pid gets its process id. */
static int run_copy(struct rfs_forker *forker, pid_t *pid)
{
	struct rfs_tracer *tracer;
	struct rfs_task *task;
	struct rfs_stop stop;
	int status = -1;

	cr_assert_eq(rfs_forker_fork(forker, &tracer, &task), 0);
	*pid = rfs_tracer_pid(tracer);
	cr_expect_eq(rfs_task_pid(task), *pid);
	cr_expect_eq(getpgid(*pid), *pid);
	cr_assert_eq(rfs_task_resume(task, RFS_RESUME_RUN, 0), 0);
	while (rfs_tracer_wait(tracer, -1, &stop) == 1) {
		if (stop.kind == RFS_STOP_EXITED || stop.kind == RFS_STOP_KILLED) {
			if (rfs_task_tid(stop.task) == *pid)
				status = stop.kind == RFS_STOP_EXITED ? stop.status : 128 + stop.status;
			rfs_task_forget(stop.task);
			continue;
		}
		(void)!rfs_task_resume(stop.task, stop.kind == RFS_STOP_GROUP ? RFS_RESUME_LISTEN : RFS_RESUME_RUN,
				       stop.kind == RFS_STOP_SIGNAL ? stop.info.si_signo : 0);
	}
	rfs_tracer_free(tracer);
	return status;
}

static void copies_are_whole(const char *variant, const char *flags)
{
	const char *argv[] = {program("copied", variant, flags), NULL};
	char why[256] = "", expected[64] = "";
	struct rfs_forker *forker;
	struct rfs_stop stop;
	struct run run;
	pid_t pid;

	stop = stand_before_main(&run, argv);
	cr_assert_eq(rfs_forker_new(stop.task, clear_tid, 0, &forker, why, sizeof(why)), 0, "%s", why);
	for (int i = 0; i < 5; i++) {
		cr_expect_eq(run_copy(forker, &pid), 0, "copy %d", i);
		cr_expect_neq(pid, rfs_tracer_pid(run.tracer));
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%d\n", (int)pid);
		/* the copy has already been reaped */
		cr_expect_eq(kill(pid, 0), -1);
	}
	rfs_forker_free(forker);
	run_end(&run);
	cr_expect_str_eq(run.output, expected);
}

Test(forker, the_c_library_knows_who_it_is)
{
	copies_are_whole("", "-pthread");
}

Test(forker, a_static_program_is_copied_too)
{
	copies_are_whole(".static", "-pthread -static");
}

/* A forker of the program `copied`, with a breakpoint at pthread_mutex_unlock(), whose address is returned. */
static rfs_addr forker_with_breakpoint(struct run *run, struct rfs_forker **out)
{
	const char *argv[] = {program("copied", "", "-pthread"), NULL};
	struct rfs_stop stop = stand_before_main(run, argv);
	rfs_addr unlock = run_symbol(run, "libc.so", "pthread_mutex_unlock");
	char why[256] = "";

	run_break(&stop, unlock);
	cr_assert_eq(rfs_forker_new(stop.task, clear_tid, 0, out, why, sizeof(why)), 0, "%s", why);
	return unlock;
}

Test(forker, breakpoints_and_slots_are_there_in_each_copy)
{
	struct rfs_forker *forker;
	struct run run;
	rfs_addr unlock = forker_with_breakpoint(&run, &forker);

	for (int i = 0; i < 3; i++) {
		struct rfs_tracer *tracer;
		struct rfs_stop stop;
		struct rfs_task *task;
		int hits = 0, r;

		cr_assert_eq(rfs_forker_fork(forker, &tracer, &task), 0);
		cr_assert_eq(rfs_task_resume(task, RFS_RESUME_RUN, 0), 0);
		while (hits < 4 && (r = rfs_tracer_wait(tracer, -1, &stop)) == 1) {
			hits += stop.kind == RFS_STOP_BREAKPOINT && stop.address == unlock;
			(void)!rfs_task_resume(stop.task, RFS_RESUME_RUN, 0);
		}
		cr_expect_eq(hits, 4);
		/* this kills the copy; the next copy must not be affected */
		rfs_tracer_free(tracer);
	}
	rfs_forker_free(forker);
	run_end(&run);
}

/* How often the copy stops at `at` until it ends. change: called before the copy runs; may be NULL. */
static int hits_of_copy(struct rfs_forker *forker, rfs_addr at, void (*change)(struct rfs_task *task, rfs_addr at))
{
	struct rfs_tracer *tracer;
	struct rfs_task *task;
	struct rfs_stop stop;
	int hits = 0;

	cr_assert_eq(rfs_forker_fork(forker, &tracer, &task), 0);
	if (change)
		change(task, at);
	cr_assert_eq(rfs_task_resume(task, RFS_RESUME_RUN, 0), 0);
	while (rfs_tracer_wait(tracer, -1, &stop) == 1) {
		if (stop.kind == RFS_STOP_EXITED || stop.kind == RFS_STOP_KILLED) {
			if (rfs_task_tid(stop.task) == rfs_tracer_pid(tracer))
				cr_expect_eq(stop.status, 0);
			rfs_task_forget(stop.task);
			continue;
		}
		hits += stop.kind == RFS_STOP_BREAKPOINT && stop.address == at;
		(void)!rfs_task_resume(stop.task, stop.kind == RFS_STOP_GROUP ? RFS_RESUME_LISTEN : RFS_RESUME_RUN,
				       stop.kind == RFS_STOP_SIGNAL ? stop.info.si_signo : 0);
	}
	rfs_tracer_free(tracer);
	return hits;
}

static void remove_it(struct rfs_task *task, rfs_addr at)
{
	struct rfs_space *space = rfs_task_space(task);
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(space, at);

	cr_assert_not_null(breakpoint);
	rfs_breakpoint_remove(space, breakpoint);
	cr_expect_null(rfs_breakpoint_at(space, at));
}

static void remove_and_set_it(struct rfs_task *task, rfs_addr at)
{
	struct rfs_breakpoint *breakpoint;

	remove_it(task, at);
	cr_assert_eq(rfs_breakpoint_add(task, at, &breakpoint), 0);
	cr_expect_eq(rfs_breakpoint_at(rfs_task_space(task), at), breakpoint);
}

static void read_it(struct rfs_task *task, rfs_addr at)
{
	unsigned char byte;

	/* reads show the program's own bytes */
	cr_assert_eq(rfs_space_read(rfs_task_space(task), at, &byte, 1), 0);
	cr_expect_neq(byte, 0xcc);
}

Test(forker, what_a_copy_does_to_its_breakpoints_concerns_no_other_copy)
{
	struct rfs_forker *forker;
	struct run run;
	rfs_addr unlock = forker_with_breakpoint(&run, &forker);
	int hits;

	hits = hits_of_copy(forker, unlock, NULL);
	cr_expect_geq(hits, 4);
	cr_expect_eq(hits_of_copy(forker, unlock, remove_it), 0);
	cr_expect_eq(hits_of_copy(forker, unlock, NULL), hits);
	cr_expect_eq(hits_of_copy(forker, unlock, remove_and_set_it), hits);
	cr_expect_eq(hits_of_copy(forker, unlock, read_it), hits);
	cr_expect_eq(hits_of_copy(forker, unlock, NULL), hits);
	rfs_forker_free(forker);
	run_end(&run);
}

static void is_refused(const char *mode, rfs_addr wrong, const char *reason)
{
	const char *argv[] = {program("copied", "", "-pthread"), mode, NULL};
	struct rfs_forker *forker;
	struct rfs_stop stop;
	char why[256] = "";
	struct run run;

	stop = stand_before_main(&run, argv);
	cr_expect_eq(rfs_forker_new(stop.task, clear_tid + wrong, 0, &forker, why, sizeof(why)), -ENOTSUP);
	cr_expect_not_null(strstr(why, reason), "%s", why);
	run_end(&run);
}

Test(forker, a_held_robust_mutex_is_refused)
{
	is_refused("held", 0, "robust mutex");
}

Test(forker, a_library_that_keeps_its_id_elsewhere_is_refused)
{
	is_refused(NULL, 64, "thread id");
}

Test(forker, an_original_that_was_killed_gives_no_copy)
{
	const char *argv[] = {program("copied", "", "-pthread"), NULL};
	struct rfs_tracer *tracer;
	struct rfs_forker *forker;
	struct rfs_task *task;
	struct rfs_stop stop;
	char why[256] = "";
	struct run run;
	pid_t pid;

	stop = stand_before_main(&run, argv);
	cr_assert_eq(rfs_forker_new(stop.task, clear_tid, 0, &forker, why, sizeof(why)), 0, "%s", why);
	cr_expect_eq(run_copy(forker, &pid), 0);
	kill(rfs_tracer_pid(run.tracer), SIGKILL);
	cr_expect_eq(rfs_forker_fork(forker, &tracer, &task), -ESRCH);
	rfs_forker_free(forker);
	run_end(&run);
}
