/* signals_test.c - signals arrive as the kernel made them, even if the instruction ran from a slot. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/tracer/harness.h"

TestSuite(signals, .timeout = 60);

struct fault {
	const char *how, *label;
	int hits;
	rfs_addr at;
};

static bool break_on_fault(struct run *run, const struct rfs_stop *stop)
{
	struct fault *fault = run->data;

	if (stop->kind == RFS_STOP_EXEC && fault->label) {
		run_modules(run, stop);
		fault->at = run_symbol(run, NULL, fault->label);
		run_break(stop, fault->at);
	}
	if (stop->kind == RFS_STOP_BREAKPOINT) {
		if (run_modules(run, stop))
			return true;
		cr_expect_eq(stop->address, fault->at);
		fault->hits++;
	}
	if (stop->kind == RFS_STOP_SIGNAL && fault->label && strcmp(fault->how, "trap") != 0)
		cr_expect_eq(rfs_task_regs(stop->task)->rip, fault->at);
	return false;
}

static void compare_fault(const char *how, const char *label)
{
	struct fault fault = {.how = how};
	const char *argv[] = {program("faults", "", ""), how, NULL};
	struct run plain, broken;

	run_start(&plain, NULL, argv);
	plain.data = &fault;
	run_all(&plain, break_on_fault);
	run_end(&plain);
	fault.label = label;
	run_start(&broken, NULL, argv);
	broken.data = &fault;
	run_all(&broken, break_on_fault);
	run_end(&broken);
	cr_expect_not_null(strstr(plain.output, "done"));
	cr_expect_str_eq(broken.output, plain.output, "%s: %s", how, broken.output);
	cr_expect_eq(fault.hits, 1, "%s: %d hits", how, fault.hits);
	cr_expect_eq(broken.stops[RFS_STOP_SIGNAL], 1);
}

/* The handler sees the address of the program's instruction, not that of the slot. */
Test(signals, segv_under_a_breakpoint)
{
	compare_fault("segv", "segv_here");
}

Test(signals, fpe_under_a_breakpoint)
{
	compare_fault("fpe", "fpe_here");
}

Test(signals, ill_under_a_breakpoint)
{
	compare_fault("ill", "ill_here");
}

Test(signals, own_int3)
{
	compare_fault("trap", "trap_here");
}

static bool break_on_call(struct run *run, const struct rfs_stop *stop)
{
	if (stop->kind == RFS_STOP_EXEC) {
		rfs_addr caller;
		struct rfs_breakpoint *breakpoint;

		run_modules(run, stop);
		caller = run_symbol(run, NULL, "caller");
		/* all instructions of caller(), which contains the call */
		for (rfs_addr at = caller; at < caller + 40;) {
			breakpoint = run_break(stop, at);
			at += rfs_breakpoint_insn(breakpoint)->length;
		}
		run_break(stop, run_symbol(run, NULL, "thrower"));
	}
	return stop->kind == RFS_STOP_BREAKPOINT && run_modules(run, stop);
}

Test(signals, exception_through_a_breakpointed_call)
{
	const char *argv[] = {program("throw", "", ""), NULL};
	struct run run;

	cr_expect_eq(run_program(&run, argv, break_on_call), 0);
	cr_expect_str_eq(run.output, "unwound\nthrown\n");
	cr_expect_geq(run.stops[RFS_STOP_BREAKPOINT], 5);
}

Test(signals, dropped)
{
	const char *argv[] = {"/bin/sh", "-c", "kill -TERM $$; echo alive", NULL};
	struct rfs_stop stop;
	struct run run;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_SIGNAL);
	cr_expect_eq(stop.info.si_signo, SIGTERM);
	cr_expect_eq(rfs_task_resume(stop.task, RFS_RESUME_RUN, 0), 0);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_str_eq(run.output, "alive\n");
}

Test(signals, group_stop)
{
	static const int ready[] = {SYS_getppid, -1};
	const struct rfs_launch launch = {.core = -1, .traced = ready};
	const char *argv[] = {program("stopped", "", ""), NULL};
	struct rfs_stop stop;
	struct run run;
	pid_t pid;

	run_start(&run, &launch, argv);
	pid = rfs_tracer_pid(run.tracer);
	stop = run_until(&run, RFS_STOP_SYSCALL);
	run_resume(&run, &stop);
	kill(pid, SIGSTOP);
	stop = run_until(&run, RFS_STOP_SIGNAL);
	cr_expect_eq(stop.info.si_signo, SIGSTOP);
	run_resume(&run, &stop);
	/* both threads stop */
	for (int i = 0; i < 2; i++) {
		stop = run_until(&run, RFS_STOP_GROUP);
		cr_expect_eq(stop.status, SIGSTOP);
		run_resume(&run, &stop);
	}
	kill(pid, SIGCONT);
	stop = run_until(&run, RFS_STOP_SIGNAL);
	cr_expect_eq(stop.info.si_signo, SIGCONT);
	run_resume(&run, &stop);
	kill(pid, SIGUSR1);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_eq(run.status, SIGUSR1);
	cr_expect_eq(run.stops[RFS_STOP_GROUP], 2);
}

/*
 * A signal arrives while the task is stopped at a breakpoint. The handler's frame shows the address of the instruction,
 * and the instruction still executes afterwards.
 */
Test(signals, at_a_breakpoint)
{
	const char *argv[] = {program("stack", "", ""), NULL};
	struct rfs_stop stop;
	rfs_addr at;
	struct run run;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_modules(&run, &stop);
	at = run_symbol(&run, NULL, "inner");
	run_break(&stop, at);
	run_resume(&run, &stop);
	do {
		stop = run_until(&run, RFS_STOP_BREAKPOINT);
	} while (run_modules(&run, &stop));
	cr_expect_eq(stop.address, at);
	syscall(SYS_tgkill, rfs_task_pid(stop.task), rfs_task_tid(stop.task), SIGCHLD);
	run_resume(&run, &stop);
	/* SIGCHLD is reported although it is ignored by default; the instruction has not run from its slot yet */
	stop = run_next(&run);
	cr_assert_eq(stop.kind, RFS_STOP_SIGNAL);
	cr_expect_eq(stop.info.si_signo, SIGCHLD);
	cr_expect_eq(stop.address, at);
	cr_expect_eq(rfs_task_resume(stop.task, RFS_RESUME_RUN, 0), 0);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_eq(run.status, 1);
}

/*
 * A SIGTRAP arrives from outside, when the task has just passed a breakpoint at a one-byte instruction. The tracer must
 * not take it for a breakpoint, and must deliver it.
 */
Test(signals, sigtrap_from_outside)
{
	const char *argv[] = {program("loop", "-pie", "-pie -fPIE"), "1000000000", NULL};
	struct rfs_stop stop;
	struct run run;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_modules(&run, &stop);
	run_break(&stop, run_symbol(&run, NULL, "l_push"));
	run_resume(&run, &stop);
	do
		stop = run_until(&run, RFS_STOP_BREAKPOINT);
	while (run_modules(&run, &stop));
	cr_assert_eq(rfs_task_resume(stop.task, RFS_RESUME_STEP, 0), 0);
	stop = run_next(&run);
	cr_assert_eq(stop.kind, RFS_STOP_STEP);
	syscall(SYS_tgkill, rfs_task_pid(stop.task), rfs_task_tid(stop.task), SIGTRAP);
	run_resume(&run, &stop);
	stop = run_next(&run);
	cr_assert_eq(stop.kind, RFS_STOP_SIGNAL);
	cr_expect_eq(stop.info.si_signo, SIGTRAP);
	cr_expect_eq(stop.info.si_code, SI_TKILL);
	run_resume(&run, &stop);
	run_all(&run, run_modules);
	run_end(&run);
	cr_expect_eq(run.status, 128 + SIGTRAP);
}
