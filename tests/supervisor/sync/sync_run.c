/* sync_run.c - a run without the main loop, for tests of the handlers of library calls. */
#include "tests/supervisor/sync/sync_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/thread_new.h"
#include "supervisor/state/operations/trace.h"
#include "supervisor/sync/futex.h"
#include "supervisor/sync/pthread_calls.h"
#include "supervisor/sync/pthread_cond.h"
#include "tracer/breakpoint.h"
#include "tracer/loader.h"
#include "tracer/module.h"
#include "tracer/tracer.h"
#include "tracer/trampoline.h"

static const struct rfs_policy_ops policy = {.abi = RFS_POLICY_ABI, .name = "test"};
static const struct rfs_run_spec spec = {.policy = &policy, .accesses = RFS_ACCESSES_TRAPS, .cancel_fd = -1};
static struct rfs_run_result result;
static struct rfs_run run;

struct rfs_thread *sync_thread(size_t number)
{
	cr_assert_lt(number, run.n_threads);
	return run.threads[number];
}

static void sync_run_added(void *thread, struct rfs_module *module)
{
	module->data = rfs_info_new(&run, module);
	rfs_pthread_add_module(&run, thread, module);
}

static void sync_run_gone(void *thread, struct rfs_module *module)
{
	(void)thread;
	(void)module;
}

/* What the stop of the thread means. Only breakpoints, futex calls and the thread's end can come. */
static enum rfs_then sync_run_stopped(struct rfs_thread *thread, const struct rfs_stop *stop)
{
	struct rfs_hook *hook = stop->breakpoint ? rfs_breakpoint_data(stop->breakpoint) : NULL;

	if (stop->kind == RFS_STOP_SYSCALL && stop->number == SYS_futex) {
		thread->syscall = stop->number;
		memcpy(thread->args, stop->args, sizeof(thread->args));
		return rfs_futex_call(&run, thread);
	}
	if (stop->kind == RFS_STOP_SYSCALL) {
		rfs_thread_ended(&run, thread);
		return RFS_THEN_PARKED;
	}
	cr_assert_eq(stop->kind, RFS_STOP_BREAKPOINT, "stop %d", (int)stop->kind);
	for (int i = 0; i < 2 && !hook; i++)
		if (stop->address == rfs_space_trampoline(thread->task, i))
			return rfs_cond_trampoline(&run, thread, i);
	cr_assert(hook);
	if (hook->returns)
		rfs_call_returned(&run, thread);
	return hook->call ? rfs_pthread_enter(&run, thread, hook->call) : RFS_THEN_EXECUTE;
}

/* Resumes the thread until it is parked. */
static void run_on(struct rfs_thread *thread, enum rfs_then then)
{
	struct rfs_stop stop;

	while (then == RFS_THEN_EXECUTE) {
		thread->state = RFS_STATE_RUNNING;
		thread->deadline = RFS_NEVER;
		thread->sync.wait = (struct rfs_wait){0};
		run.running = thread;
		rfs_target_memory_forget(&run);
		cr_assert_eq(rfs_task_resume(thread->task, RFS_RESUME_RUN, 0), 0);
		rfs_target_memory_forget(&run);
		if (rfs_tracer_wait(fake_tracer(), 0, &stop) != 1)
			return; /* it sleeps, which it should not do: the log says that */
		cr_assert_eq(stop.task, thread->task);
		then = sync_run_stopped(thread, &stop);
	}
}

void sync_open(const struct fake_step *const *scripts, size_t n)
{
	char why[256];

	fake_program(scripts);
	run = (struct rfs_run){.spec = &spec, .result = &result, .tracer = fake_tracer(), .main_reached = true};
	cr_assert_eq(rfs_decoder_new(&run.decoder), 0);
	cr_assert_eq(rfs_trace_open(&run, why, sizeof(why)), 0, "%s", why);
	rfs_target_memory_open(&run);
	rfs_stubs_init(&run);
	rfs_word_locks_open(&run);
	for (size_t i = 0; i < n; i++) {
		struct rfs_task *task = fake_thread(i);
		struct rfs_thread *thread = rfs_thread_new(&run, task, rfs_task_tid(task), i ? run.threads[0] : NULL);

		thread->tls = rfs_task_regs(task)->fs_base;
		thread->state = RFS_STATE_RUNNING;
		if (i == 0)
			cr_assert_eq(rfs_modules_update(task, sync_run_added, sync_run_gone, thread), 0);
	}
}

void sync_close(void)
{
	rfs_trace_close(&run);
	rfs_sync_release(&run.sync);
	rfs_pthread_release(&run);
	for (size_t i = 0; i < run.n_threads; i++) {
		free(run.threads[i]->returns);
		free(run.threads[i]);
	}
	free(run.threads);
	free(run.view);
	rfs_infos_release(&run);
	rfs_hooks_release(&run);
	rfs_objects_release(&run.objects);
	rfs_stubs_release(&run);
	rfs_word_locks_close(&run);
	rfs_target_memory_close(&run);
	rfs_decoder_free(run.decoder);
	rfs_run_result_release(&result);
	rfs_tracer_free(fake_tracer());
}

bool sync_is_at(size_t number, enum rfs_op_kind kind, rfs_addr object)
{
	const struct rfs_thread *t = sync_thread(number);

	return t->state == RFS_STATE_PARKED && t->next.kind == kind && t->next.object == object;
}

unsigned sync_flags(size_t number)
{
	struct rfs_thread *t = sync_thread(number);

	cr_assert_eq(t->state, RFS_STATE_PARKED);
	return t->ready(&run, t);
}

void sync_go_with(size_t number, enum rfs_outcome outcome, int waiter)
{
	const struct rfs_choice choice = {
		.thread = (int)number, .outcome = outcome, .waiter = waiter, .race = {-1, -1}};
	struct rfs_thread *t = sync_thread(number);

	if (t->state == RFS_STATE_RUNNING) { /* it has not begun */
		run_on(t, RFS_THEN_EXECUTE);
		return;
	}
	cr_assert(sync_flags(number) &
			  (outcome == RFS_OUTCOME_TIMED_OUT ? RFS_THREAD_CAN_TIME_OUT : RFS_THREAD_ENABLED),
		  "thread %zu is not enabled", number);
	run_on(t, t->go(&run, t, &choice));
}

void sync_go(size_t number)
{
	sync_go_with(number, RFS_OUTCOME_DONE, -1);
}

void sync_time_passes(void)
{
	run.time.horizon += 2 * RFS_NANOS;
}

void sync_memory_changed(void)
{
	rfs_target_memory_forget(&run);
}

bool sync_has_deadlock(void)
{
	return run.ended && result.end == RFS_END_DEADLOCK;
}

bool sync_holds(size_t number, rfs_addr lock)
{
	return rfs_sync_holds(&sync_thread(number)->sync, lock);
}
