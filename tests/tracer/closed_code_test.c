/* closed_code_test.c - each instruction of closed code is a stop, and has the effect that it has without the tracer. */
#include <sys/mman.h>

#include "tests/tracer/harness.h"
#include "tracer/closed_code.h"

TestSuite(closed_code, .timeout = 60);

/* What the program has at the first stop in ready(). */
struct closed {
	rfs_addr ready, code;
	struct rfs_breakpoint *breakpoint;
	int hits;    /* of ready() */
	int stops;   /* in the code */
	int foreign; /* in the code, of the forked process */
};

static bool at_ready(struct run *run, const struct rfs_stop *stop)
{
	struct closed *closed = run->data;
	struct rfs_space *space = rfs_task_space(stop->task);

	if (closed->hits++) {
		rfs_code_open_all(space);
		return false;
	}
	cr_assert_eq(rfs_space_read(space, run_symbol(run, NULL, "code"), &closed->code, sizeof(closed->code)), 0);
	cr_assert_eq(rfs_code_close(stop->task, closed->code, closed->code + 8192, PROT_READ | PROT_WRITE | PROT_EXEC),
		     0);
	cr_assert(rfs_code_was_closed(space, closed->code + 4096, closed->code + 4097));
	return false;
}

static bool count(struct run *run, const struct rfs_stop *stop)
{
	struct closed *closed = run->data;

	if (stop->kind != RFS_STOP_BREAKPOINT)
		return false;
	if (run_modules(run, stop))
		return true;
	if (stop->address == closed->ready)
		return at_ready(run, stop);
	cr_assert(stop->breakpoint && rfs_breakpoint_is_fault(stop->breakpoint));
	cr_assert_eq(rfs_task_regs(stop->task)->rip, stop->address);
	closed->stops += rfs_task_pid(stop->task) == rfs_tracer_pid(run->tracer);
	closed->foreign += rfs_task_pid(stop->task) != rfs_tracer_pid(run->tracer);
	return false;
}

Test(closed_code, each_instruction_stops_until_it_is_opened)
{
	const char *argv[] = {program("closed", "", ""), NULL};
	struct closed closed = {0};
	struct run run;
	struct rfs_stop stop;

	run_start(&run, NULL, argv);
	run.data = &closed;
	stop = run_until(&run, RFS_STOP_EXEC);
	run_modules(&run, &stop);
	closed.ready = run_symbol(&run, NULL, "ready");
	run_break(&stop, closed.ready);
	run_resume(&run, &stop);
	run_all(&run, count);
	run_end(&run);
	cr_assert_eq(run.status, 0, "status %d", run.status);
	cr_assert_eq(closed.hits, 2, "%d hits", closed.hits);
	/* two calls of four instructions; the third one is made after the pages are opened */
	cr_assert_eq(closed.stops - 1, 8, "%d stops", closed.stops);
	cr_assert_leq(closed.foreign, 2, "%d stops of the child", closed.foreign);
}
