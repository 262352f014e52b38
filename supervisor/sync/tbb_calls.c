/*
 * tbb_calls.c - a task happens after what its creator did before the call that spawns it. A wait for a group of tasks
 * happens after all that these did before they reduced the group's count.
 *
 * libtbb runs unchanged: these calls are no visible operations. A task is an object with a virtual function that
 * executes it (oneapi/tbb/detail/_task.h). This function gets a breakpoint when a task with it is spawned first.
 */
#include "supervisor/sync/tbb_calls.h"

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/openmp_layer.h"
#include "tracer/tracer.h"

#define EXECUTE_SLOT 2	/* of the virtual functions of d1::task, behind two destructors */
#define COUNT_OFFSET 8u /* of m_ref_count in d1::wait_context */

static void tbb_calls_tell(struct rfs_run *run, struct rfs_thread *thread, enum rfs_event_kind kind, rfs_addr object)
{
	rfs_emit_kind(run, thread, kind, rfs_message(RFS_MESSAGE_TASK, object));
}

static enum rfs_then enter_execute(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	tbb_calls_tell(run, thread, RFS_EVENT_RECEIVE, rfs_call_object(run, thread, 0));
	return rfs_openmp_begin_code(run, thread);
}

static const struct rfs_call execute = {"execute", enter_execute, 0, RFS_CALL_INTERNAL};

static enum rfs_then enter_spawn(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_addr task = rfs_call_object(run, thread, 0);
	rfs_addr table, function;
	struct rfs_hook *hook;

	(void)call;
	if (!rfs_peek(run, task, &table, sizeof(table)) ||
	    !rfs_peek(run, table + EXECUTE_SLOT * sizeof(function), &function, sizeof(function)) ||
	    !rfs_info_at(run, function))
		return RFS_THEN_EXECUTE;
	hook = rfs_call_hook(run, thread->task, function);
	if (hook && !hook->call)
		hook->call = &execute;
	/* the memory may have held another task */
	tbb_calls_tell(run, thread, RFS_EVENT_FORGET, task);
	tbb_calls_tell(run, thread, RFS_EVENT_SEND, task);
	return RFS_THEN_EXECUTE;
}

/* libtbb has read the count, which is zero. */
static void tbb_calls_waited(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			     uint64_t value)
{
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread->number};

	(void)value;
	event.op = rfs_op_make(RFS_OP_ACCESS, rfs_site_of(run, rfs_task_regs(thread->task)->rip), call->arg);
	event.op.size = sizeof(uint64_t);
	event.op.access = RFS_ACCESS_READ | RFS_ACCESS_ATOMIC | RFS_ACCESS_LEARNS;
	rfs_emit(run, &event);
}

/* param 1: the wait_context is the third argument; 0: the first */
static enum rfs_then enter_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);

	rfs_call_on_return(run, thread, tbb_calls_waited,
			   rfs_family_name(run, thread, (call->param ? regs->rdx : regs->rdi) + COUNT_OFFSET));
	return RFS_THEN_EXECUTE;
}

static void tbb_calls_allocated(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
				uint64_t value)
{
	if (value)
		rfs_emit_reset(run, thread, rfs_family_name(run, thread, value), call->arg);
}

/* Small objects come from a pool of the thread, so malloc does not show that their memory has a new use. */
static enum rfs_then enter_pool(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	rfs_call_on_return(run, thread, tbb_calls_allocated, rfs_task_regs(thread->task)->rsi);
	return RFS_THEN_EXECUTE;
}

#define R1 "_ZN3tbb6detail2r1"

static const struct rfs_call calls[] = {
	{R1 "5spawnERNS0_2d14taskERNS2_18task_group_contextE", enter_spawn, 0, 0},
	{R1 "5spawnERNS0_2d14taskERNS2_18task_group_contextEt", enter_spawn, 0, 0},
	{R1 "6submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm", enter_spawn, 0, 0},
	{R1 "7enqueueERNS0_2d14taskEPNS2_15task_arena_baseE", enter_spawn, 0, 0},
	{R1 "7enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE", enter_spawn, 0, 0},
	{R1 "16execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_", enter_wait, 1, 0},
	{R1 "4waitERNS0_2d112wait_contextERNS2_18task_group_contextE", enter_wait, 0, 0},
	{R1 "8allocateERPNS0_2d117small_object_poolEm", enter_pool, 0, 0},
	{R1 "8allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE", enter_pool, 0, 0},
};

size_t rfs_tbb_calls(const struct rfs_call **rows)
{
	*rows = calls;
	return sizeof(calls) / sizeof(*calls);
}
