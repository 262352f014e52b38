/* stepped_run.c - a run on the fake tracer without the main loop, for tests of handlers. */
#include "tests/supervisor/fake_tracer/stepped_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/thread_new.h"
#include "supervisor/state/operations/trace.h"
#include "tracer/tracer.h"

static const struct rfs_policy_ops policy = {.abi = RFS_POLICY_ABI, .name = "test"};
static const struct rfs_run_spec spec = {.policy = &policy, .accesses = RFS_ACCESSES_TRAPS, .cancel_fd = -1};
static struct rfs_run_result result;
static struct rfs_run run;
static const struct step_room *the_room;

struct rfs_run *step_run(void)
{
	return &run;
}

struct rfs_thread *step_thread(size_t number)
{
	cr_assert_lt(number, run.n_threads);
	return run.threads[number];
}

/* Resumes the thread until it is parked. */
static void run_on(struct rfs_thread *thread, enum rfs_then then)
{
	struct rfs_stop stop;

	while (then == RFS_THEN_EXECUTE || then == RFS_THEN_STOP_AT_EXIT || then == RFS_THEN_SETTLE) {
		thread->state = RFS_STATE_RUNNING;
		thread->deadline = RFS_NEVER;
		thread->sync.wait = (struct rfs_wait){0};
		run.running = thread;
		rfs_target_memory_forget(&run);
		cr_assert_eq(rfs_task_resume(thread->task,
					     then == RFS_THEN_STOP_AT_EXIT ? RFS_RESUME_SYSCALL : RFS_RESUME_RUN, 0),
			     0);
		rfs_target_memory_forget(&run);
		if (rfs_tracer_wait(fake_tracer(), 0, &stop) != 1)
			return; /* it sleeps, which it should not do: the log says that */
		cr_assert_eq(stop.task, thread->task);
		if (stop.kind == RFS_STOP_SYSCALL && (stop.number == SYS_exit || stop.number == SYS_exit_group)) {
			rfs_thread_ended(&run, thread);
			return;
		}
		then = the_room->stopped(&run, thread, &stop);
	}
}

void step_open(const struct fake_step *const *scripts, size_t n, const struct step_room *room)
{
	char why[256];

	the_room = room;
	fake_program(scripts);
	run = (struct rfs_run){.spec = &spec, .result = &result, .tracer = fake_tracer(), .main_reached = true};
	cr_assert_eq(rfs_trace_open(&run, why, sizeof(why)), 0, "%s", why);
	rfs_target_memory_open(&run);
	rfs_word_locks_open(&run);
	room->open(&run);
	for (size_t i = 0; i < n; i++) {
		struct rfs_task *task = fake_thread(i);
		struct rfs_thread *thread = rfs_thread_new(&run, task, rfs_task_tid(task), i ? run.threads[0] : NULL);

		thread->tls = rfs_task_regs(task)->fs_base;
		thread->state = RFS_STATE_RUNNING;
		room->begin(&run, thread);
	}
}

void step_close(void)
{
	the_room->close(&run);
	rfs_word_locks_close(&run);
	rfs_trace_close(&run);
	rfs_sync_release(&run.sync);
	for (size_t i = 0; i < run.n_threads; i++) {
		free(run.threads[i]->returns);
		free(run.threads[i]);
	}
	free(run.threads);
	free(run.view);
	rfs_infos_release(&run);
	rfs_objects_release(&run.objects);
	rfs_target_memory_close(&run);
	rfs_run_result_release(&result);
	rfs_tracer_free(fake_tracer());
}

bool step_is_at(size_t number, enum rfs_op_kind kind, rfs_addr object)
{
	const struct rfs_thread *t = step_thread(number);

	return t->state == RFS_STATE_PARKED && t->next.kind == kind && t->next.object == object;
}

unsigned step_flags(size_t number)
{
	struct rfs_thread *t = step_thread(number);

	cr_assert_eq(t->state, RFS_STATE_PARKED);
	return t->ready(&run, t);
}

void step_go_with(size_t number, enum rfs_outcome outcome, int waiter)
{
	const struct rfs_choice choice = {
		.thread = (int)number, .outcome = outcome, .waiter = waiter, .race = {-1, -1}};
	struct rfs_thread *t = step_thread(number);

	if (t->state == RFS_STATE_RUNNING) { /* it has not begun */
		run_on(t, RFS_THEN_EXECUTE);
		return;
	}
	cr_assert(step_flags(number) &
			  (outcome == RFS_OUTCOME_TIMED_OUT ? RFS_THREAD_CAN_TIME_OUT : RFS_THREAD_ENABLED),
		  "thread %zu is not enabled", number);
	run_on(t, t->go(&run, t, &choice));
}

void step_go(size_t number)
{
	step_go_with(number, RFS_OUTCOME_DONE, -1);
}

void step_time_passes(void)
{
	run.time.horizon += 2 * RFS_NANOS;
}

void step_memory_changed(void)
{
	rfs_target_memory_forget(&run);
}

bool step_has_deadlock(void)
{
	return run.ended && result.end == RFS_END_DEADLOCK;
}

bool step_holds(size_t number, rfs_addr lock)
{
	return rfs_sync_holds(&step_thread(number)->sync, lock);
}
