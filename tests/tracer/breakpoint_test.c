/* breakpoint_test.c - with breakpoints, a program behaves as without them, and every pass of a task is reported. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tests/tracer/harness.h"
#include "tracer/trampoline.h"

TestSuite(breakpoints, .timeout = 60);

/* The labels in programs/loop.c, and how often each round of the loop reaches them. */
static const struct {
	const char *name;
	int hits;
} labels[] = {{"l_nop", 1},    {"l_load", 1}, {"l_store", 1},  {"l_add", 1}, {"l_lea", 1},	{"l_push", 1},
	      {"l_pop", 1},    {"l_call", 1}, {"l_callee", 2}, {"l_ret", 2}, {"l_indirect", 1}, {"l_lock", 1},
	      {"l_branch", 1}, {"l_rep", 1},  {"l_jump", 1},   {"l_end", 1}};
#define LABELS (sizeof(labels) / sizeof(labels[0]))

static struct rfs_stop start(struct run *run, const char *path, const char *argument)
{
	const char *argv[] = {path, argument, NULL};
	struct rfs_stop stop;

	run_start(run, NULL, argv);
	stop = run_until(run, RFS_STOP_EXEC);
	run_modules(run, &stop);
	return stop;
}

/* Runs to the next breakpoint. The interpreter's breakpoint, which reports new modules, is handled and skipped. */
static struct rfs_stop next_breakpoint(struct run *run)
{
	struct rfs_stop stop;

	do
		stop = run_until(run, RFS_STOP_BREAKPOINT);
	while (run_modules(run, &stop));
	return stop;
}

static void expect_loop(const char *path, enum rfs_resume how)
{
	struct run plain, run;
	int hits[LABELS] = {0};
	rfs_addr at[LABELS];
	struct rfs_stop stop;
	size_t stepped;

	run_program(&plain, (const char *[]){path, "3", NULL}, NULL);
	stop = start(&run, path, "3");
	for (size_t i = 0; i < LABELS; i++) {
		at[i] = run_symbol(&run, NULL, labels[i].name);
		run_break(&stop, at[i]);
	}
	run_resume(&run, &stop);
	while (run_wait(&run, &stop)) {
		if (run_modules(&run, &stop))
			continue;
		if (stop.kind == RFS_STOP_EXITING) {
			cr_expect_geq(rfs_breakpoint_count(rfs_task_space(stop.task), &stepped), LABELS);
			cr_expect_eq(stepped, 0, "nothing here needs a step in place");
		}
		if (stop.kind == RFS_STOP_BREAKPOINT) {
			for (size_t i = 0; i < LABELS; i++)
				hits[i] += stop.address == at[i];
			cr_expect_eq(rfs_task_regs(stop.task)->rip, stop.address);
			cr_assert_eq(rfs_task_resume(stop.task, how, 0), 0);
		} else {
			run_resume(&run, &stop);
		}
	}
	run_end(&run);
	cr_expect_str_eq(run.output, plain.output);
	for (size_t i = 0; i < LABELS; i++)
		cr_expect_eq(hits[i], 3 * labels[i].hits, "%s: %d", labels[i].name, hits[i]);
}

Test(breakpoints, position_independent)
{
	expect_loop(program("loop", "-pie", "-pie -fPIE"), RFS_RESUME_RUN);
}

Test(breakpoints, at_fixed_addresses)
{
	expect_loop(program("loop", "-fixed", "-no-pie -fno-pie"), RFS_RESUME_RUN);
}

Test(breakpoints, static_program)
{
	expect_loop(program("loop", "-static", "-static"), RFS_RESUME_RUN);
}

Test(breakpoints, stepped_over_by_the_caller)
{
	expect_loop(program("loop", "-pie", "-pie -fPIE"), RFS_RESUME_STEP);
}

Test(breakpoints, a_step_ends_behind_the_instruction)
{
	struct rfs_breakpoint *breakpoint;
	struct rfs_stop stop;
	struct run run;
	rfs_addr at;

	stop = start(&run, program("loop", "-pie", "-pie -fPIE"), "1");
	for (size_t i = 0; i < LABELS; i++)
		run_break(&stop, run_symbol(&run, NULL, labels[i].name));
	run_resume(&run, &stop);
	for (int i = 0; i < 6; i++) {
		stop = next_breakpoint(&run);
		at = stop.address;
		breakpoint = rfs_breakpoint_at(run.space, at);
		cr_assert_eq(rfs_task_resume(stop.task, RFS_RESUME_STEP, 0), 0);
		stop = run_next(&run);
		cr_assert_eq(stop.kind, RFS_STOP_STEP);
		cr_expect_eq(stop.address, at + rfs_breakpoint_insn(breakpoint)->length);
		cr_expect_eq(rfs_task_regs(stop.task)->rip, stop.address);
		run_resume(&run, &stop);
	}
	run_end(&run);
}

Test(breakpoints, counted)
{
	struct rfs_breakpoint *first, *second;
	struct rfs_stop stop;
	unsigned char byte;
	struct run run;
	rfs_addr at;

	stop = start(&run, program("loop", "-pie", "-pie -fPIE"), "2");
	at = run_symbol(&run, NULL, "l_load");
	first = run_break(&stop, at);
	second = run_break(&stop, at);
	cr_expect_eq(first, second);
	cr_expect_eq(rfs_breakpoint_address(first), at);
	cr_expect_null(rfs_breakpoint_data(first));
	rfs_breakpoint_set_data(first, &run);
	cr_expect_eq(rfs_breakpoint_data(second), &run);
	rfs_breakpoint_remove(run.space, first);
	cr_expect_eq(rfs_breakpoint_at(run.space, at), second);
	run_resume(&run, &stop);
	stop = next_breakpoint(&run);
	/* the task is stopped at this breakpoint, and continues with the original instruction */
	rfs_breakpoint_remove(run.space, second);
	cr_expect_null(rfs_breakpoint_at(run.space, at));
	cr_expect_eq(rfs_space_read(run.space, at, &byte, 1), 0);
	cr_expect_eq(byte, 0x48);
	run_resume(&run, &stop);
	run_all(&run, run_modules);
	run_end(&run);
	cr_expect_eq(run.stops[RFS_STOP_KILLED], 0);
	cr_expect_eq(run.status, 0);
}

Test(breakpoints, taken_away_inside_the_slot)
{
	struct rfs_breakpoint *breakpoint;
	struct rfs_stop stop;
	struct run run;

	stop = start(&run, program("faults", "", ""), "segv");
	breakpoint = run_break(&stop, run_symbol(&run, NULL, "segv_here"));
	run_resume(&run, &stop);
	stop = next_breakpoint(&run);
	run_resume(&run, &stop);
	stop = run_until(&run, RFS_STOP_SIGNAL);
	rfs_breakpoint_remove(run.space, breakpoint);
	run_resume(&run, &stop);
	run_all(&run, run_modules);
	run_end(&run);
	cr_expect_str_eq(run.output, "signal 11 code 1 rip 0 addr 4660\ndone\n");
}

Test(breakpoints, hidden_from_reads)
{
	unsigned char before[4096], after[4096], one;
	struct rfs_breakpoint *breakpoints[LABELS];
	struct rfs_stop stop;
	struct run run;
	rfs_addr page;

	stop = start(&run, program("loop", "-pie", "-pie -fPIE"), "1");
	page = run_symbol(&run, NULL, "l_nop") & ~4095ul;
	cr_assert_eq(rfs_space_read(run.space, page, before, sizeof(before)), 0);
	for (size_t i = 0; i < LABELS; i++)
		breakpoints[i] = run_break(&stop, run_symbol(&run, NULL, labels[i].name));
	cr_assert_eq(rfs_space_read(run.space, page, after, sizeof(after)), 0);
	cr_expect_eq(memcmp(before, after, sizeof(before)), 0);
	for (size_t i = 0; i < LABELS; i++) {
		rfs_addr at = rfs_breakpoint_address(breakpoints[i]);

		cr_assert_eq(rfs_space_read(run.space, at, &one, 1), 0);
		cr_expect_eq(one, before[at - page]);
	}
	run_end(&run);
}

Test(breakpoints, refused)
{
	struct rfs_breakpoint *breakpoint;
	struct rfs_stop stop;
	struct run run;

	stop = start(&run, program("loop", "-pie", "-pie -fPIE"), "1");
	cr_expect_eq(rfs_breakpoint_add(stop.task, 0x10, &breakpoint), -EFAULT);
	run_end(&run);
}

Test(breakpoints, trampoline)
{
	struct rfs_stop stop;
	rfs_addr back, trampoline;
	struct run run;
	int value = -1;

	/* marked(x) gets the trampoline as its return address, so its return stops */
	stop = start(&run, program("children", "", ""), "fork");
	run_break(&stop, run_symbol(&run, NULL, "marked"));
	trampoline = rfs_space_trampoline(stop.task, 3);
	cr_assert_neq(trampoline, 0);
	cr_expect_eq(rfs_space_trampoline(stop.task, RFS_TRAMPOLINES), 0);
	run_resume(&run, &stop);
	stop = next_breakpoint(&run);
	cr_assert_eq(rfs_space_read(run.space, rfs_task_regs(stop.task)->rsp, &back, 8), 0);
	cr_assert_eq(rfs_space_write(run.space, rfs_task_regs(stop.task)->rsp, &trampoline, 8), 0);
	run_resume(&run, &stop);
	stop = next_breakpoint(&run);
	cr_expect_eq(stop.address, trampoline);
	value = (int)rfs_task_regs(stop.task)->rax;
	rfs_task_regs_mut(stop.task)->rip = back;
	run_resume(&run, &stop);
	run_all(&run, run_modules);
	run_end(&run);
	cr_expect_eq(value, 6);
	cr_expect_eq(run.status, 6);
}

Test(breakpoints, many_threads_at_one)
{
	const char *argv[] = {program("threads", "", ""), "50", NULL};
	struct rfs_stop stop;
	struct run run;
	rfs_addr body;
	int hits = 0;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_modules(&run, &stop);
	body = run_symbol(&run, NULL, "body");
	run_break(&stop, body);
	run_resume(&run, &stop);
	while (run_wait(&run, &stop)) {
		if (run_modules(&run, &stop))
			continue;
		hits += stop.kind == RFS_STOP_BREAKPOINT;
		run_resume(&run, &stop);
	}
	run_end(&run);
	cr_expect_eq(hits, 50);
	cr_expect_eq(run.status, 50);
}

Test(breakpoints, on_a_system_call)
{
	static const int traced[] = {SYS_getppid, -1};
	const struct rfs_launch launch = {.core = -1, .traced = traced};
	const char *argv[] = {program("calls", "-static", "-static"), "answer", NULL};
	struct rfs_stop stop;
	struct run run;
	rfs_addr at;

	/* the first run finds the address: the system call instruction, two bytes long, ends where the call stops */
	run_start(&run, &launch, argv);
	stop = run_until(&run, RFS_STOP_SYSCALL);
	at = stop.address - 2;
	run_end(&run);
	run_start(&run, &launch, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_break(&stop, at);
	run_resume(&run, &stop);
	stop = run_until(&run, RFS_STOP_SYSCALL);
	cr_expect_eq(stop.address, at + 2, "not the copy's address");
	cr_expect_geq(run.stops[RFS_STOP_BREAKPOINT], 1);
	rfs_task_answer_syscall(stop.task, 8);
	run_resume(&run, &stop);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_str_eq(run.output, "result 8\n");
}

/*
 * Sets a breakpoint at the instruction that creates a task. The new task must begin right behind that instruction in
 * the program, not in the slot.
 */
static void expect_maker(const char *name, const char *how, enum rfs_stop_kind kind, int status)
{
	const char *argv[] = {program(name, "-static", "-static"), how, NULL};
	struct rfs_stop stop;
	struct run run;
	rfs_addr at;

	run_start(&run, NULL, argv);
	stop = run_until(&run, kind);
	at = stop.address - 2;
	run_end(&run);
	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_break(&stop, at);
	run_resume(&run, &stop);
	while (run_wait(&run, &stop)) {
		if (stop.kind == RFS_STOP_NEW || stop.kind == kind)
			cr_expect_eq(rfs_task_regs(stop.task)->rip, at + 2);
		run_resume(&run, &stop);
	}
	run_end(&run);
	cr_expect_geq(run.stops[RFS_STOP_BREAKPOINT], 1);
	cr_expect_eq(run.status, status, "%s %s: %d", name, how, run.status);
}

Test(breakpoints, on_clone)
{
	expect_maker("threads", "4", RFS_STOP_CLONE, 4);
}

Test(breakpoints, on_fork)
{
	expect_maker("children", "fork", RFS_STOP_FORK, 6);
}

Test(breakpoints, on_vfork)
{
	expect_maker("children", "vfork", RFS_STOP_VFORK, 6);
}

/* A far return can be neither copied nor emulated. To step it, the tracer removes the breakpoint and puts it back. */
Test(breakpoints, stepped_in_place)
{
	struct rfs_stop stop;
	size_t stepped;
	struct run run;

	stop = start(&run, program("far", "", ""), "3");
	run_break(&stop, run_symbol(&run, NULL, "far_here"));
	rfs_breakpoint_count(run.space, &stepped);
	cr_expect_eq(stepped, 1);
	run_resume(&run, &stop);
	run_all(&run, run_modules);
	run_end(&run);
	cr_expect_str_eq(run.output, "3 rounds\n");
	/* at least three, because the interpreter's breakpoint stops as well */
	cr_expect_geq(run.stops[RFS_STOP_BREAKPOINT], 3);
	cr_expect_eq(run.stops[RFS_STOP_STEP], 0);
}
