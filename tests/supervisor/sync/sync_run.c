/* sync_run.c - a stepped run whose threads call functions of the C library and futex(2). */
#include "tests/supervisor/sync/sync_run.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/syscall.h>

#include "disasm/insn/insn.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/stubs.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/sync/futex.h"
#include "supervisor/sync/pthread_calls.h"
#include "supervisor/sync/pthread_cond.h"
#include "tracer/breakpoint.h"
#include "tracer/loader.h"
#include "tracer/module.h"
#include "tracer/tracer.h"
#include "tracer/trampoline.h"

static void sync_run_added(void *thread, struct rfs_module *module)
{
	module->data = rfs_info_new(step_run(), module);
	rfs_pthread_add_module(step_run(), thread, module);
}

static void sync_run_gone(void *thread, struct rfs_module *module)
{
	(void)thread;
	(void)module;
}

static void sync_run_open(struct rfs_run *run)
{
	cr_assert_eq(rfs_decoder_new(&run->decoder), 0);
	rfs_stubs_init(run);
}

static void sync_run_begin(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	if (thread->number == 0)
		cr_assert_eq(rfs_modules_update(thread->task, sync_run_added, sync_run_gone, thread), 0);
}

static enum rfs_then sync_run_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	struct rfs_hook *hook = stop->breakpoint ? rfs_breakpoint_data(stop->breakpoint) : NULL;

	if (stop->kind == RFS_STOP_SYSCALL && stop->number == SYS_futex) {
		thread->syscall = stop->number;
		memcpy(thread->args, stop->args, sizeof(thread->args));
		return rfs_futex_call(run, thread);
	}
	cr_assert_eq(stop->kind, RFS_STOP_BREAKPOINT, "stop %d", (int)stop->kind);
	for (int i = 0; i < 2 && !hook; i++)
		if (stop->address == rfs_space_trampoline(thread->task, i))
			return rfs_cond_trampoline(run, thread, i);
	cr_assert(hook);
	if (hook->returns)
		rfs_call_returned(run, thread);
	return hook->call ? rfs_pthread_enter(run, thread, hook->call) : RFS_THEN_EXECUTE;
}

static void sync_run_close(struct rfs_run *run)
{
	rfs_pthread_release(run);
	rfs_hooks_release(run);
	rfs_stubs_release(run);
	rfs_decoder_free(run->decoder);
}

void sync_open(const struct fake_step *const *scripts, size_t n)
{
	static const struct step_room room = {sync_run_open, sync_run_begin, sync_run_stopped, sync_run_close};

	step_open(scripts, n, &room);
}
