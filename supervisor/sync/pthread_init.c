/*
 * pthread_init.c - objects of the thread library begin. None of these calls is an operation.
 *
 * An object on a stack ends without a call, when its function returns. So in runs that predict, the thread stops at
 * that return: objects that begin in the same memory later are others. A jump or an exception may leave functions
 * without a return, so after one nothing is known of the frames.
 */
#include "supervisor/sync/pthread_init.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/semaphore.h"
#include "supervisor/record/misuse.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/findings/misuse.h"
#include "tracer/tracer.h"
#include "tracer/unwind.h"

/* SCHED_FIFO's priorities, which a ceiling is one of. */
#define CEILING_MIN 1
#define CEILING_MAX 99

static void frame_left(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
		       uint64_t value)
{
	(void)value;
	if (call->life)
		rfs_misuse_leave(
			run, thread, rfs_family_name(run, thread, call->low),
			&(struct rfs_stack_frame){.code = call->arg, .cfa = rfs_family_name(run, thread, call->rsp)});
}

enum rfs_then rfs_enter_jump(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)run;
	(void)call;
	rfs_call_frames_left(thread);
	return RFS_THEN_EXECUTE;
}

/* The thread initialises an object. If it is on a stack, watches for the return of its function. */
static void watch_frame(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object)
{
	struct rfs_thread *owner = rfs_thread_by_stack(run, object, RFS_STACK_LAST_OWNER);
	struct rfs_stack_frame frame;

	if (run->spec->detector && owner && rfs_misuse_frame(thread, owner, object, &frame))
		rfs_call_on_frame_return(run, owner, rfs_memory_address(frame.cfa), rfs_memory_address(object),
					 frame_left, frame.code);
}

/* Whether the attributes, a structure of the C library, can be what its functions make. */
static bool are_possible(const struct rfs_run *run, enum rfs_object_type type, rfs_addr attributes)
{
	unsigned words[2] = {0};

	if (!rfs_peek(run, attributes, words, type == RFS_OBJECT_RWLOCK ? sizeof(words) : sizeof(*words)))
		return true;
	switch (type) {
	case RFS_OBJECT_MUTEX:
		return (words[0] & RFS_MUTEXATTR_TYPE & ~(unsigned)(RFS_MUTEX_ELISION | RFS_MUTEX_NO_ELISION)) <=
			       PTHREAD_MUTEX_ADAPTIVE_NP &&
		       (words[0] >> RFS_MUTEXATTR_PROTOCOL_SHIFT & 3) <= PTHREAD_PRIO_PROTECT;
	case RFS_OBJECT_RWLOCK: /* the preference, and whether it is shared */
		return words[0] <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP && words[1] <= PTHREAD_PROCESS_SHARED;
	case RFS_OBJECT_COND:
		return words[0] <= (RFS_COND_SHARED | RFS_COND_MONOTONIC);
	case RFS_OBJECT_BARRIER:
		return words[0] <= PTHREAD_PROCESS_SHARED;
	default:
		return true;
	}
}

/* Whether the C library refuses the call because of its number. */
static bool refuses_number(enum rfs_object_type type, unsigned number)
{
	return type == RFS_OBJECT_BARRIER     ? number == 0 || number > RFS_BARRIER_COUNT_MAX
	       : type == RFS_OBJECT_SEMAPHORE ? number > SEM_VALUE_MAX
					      : false;
}

enum rfs_then rfs_enter_init(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const struct rfs_model_memory memory = rfs_target_memory(run);
	const enum rfs_object_type type = (enum rfs_object_type)call->param;
	const rfs_addr object = rfs_call_object(run, thread, 0);

	if (refuses_number(type, (unsigned)regs->rdx)) {
		rfs_misuse_argument(run, thread,
				    type == RFS_OBJECT_BARRIER ? RFS_MISUSE_BAD_COUNT : RFS_MISUSE_BAD_VALUE, object);
		return RFS_THEN_EXECUTE;
	}
	if (type != RFS_OBJECT_SEMAPHORE && regs->rsi && !are_possible(run, type, regs->rsi))
		rfs_misuse_argument(run, thread, RFS_MISUSE_BAD_ATTRIBUTES, object);
	rfs_quarantine_init(run, object);
	watch_frame(run, thread, object);
	rfs_misuse_init(run, thread, type, object, rfs_site_of(run, rfs_call_back(run, thread)));
	/* a new semaphore begins in this memory, so earlier tokens no longer count */
	if (type == RFS_OBJECT_SEMAPHORE)
		rfs_semaphore_init(&run->sync, &memory, object, (unsigned)regs->rdx);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_attribute(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	static const struct {
		int low, high;
	} allowed[] = {
		[RFS_ATTRIBUTE_TYPE] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ADAPTIVE_NP},
		[RFS_ATTRIBUTE_SHARED] = {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED},
		[RFS_ATTRIBUTE_PROTOCOL] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_PROTECT},
		[RFS_ATTRIBUTE_ROBUST] = {PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_ROBUST},
		[RFS_ATTRIBUTE_CEILING] = {CEILING_MIN, CEILING_MAX},
		[RFS_ATTRIBUTE_PREFERENCE] = {PTHREAD_RWLOCK_PREFER_READER_NP,
					      PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP},
	};
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const int value = (int)regs->rsi;

	if (value < allowed[call->param].low || value > allowed[call->param].high)
		rfs_misuse_argument(run, thread, RFS_MISUSE_BAD_ATTRIBUTE, rfs_call_object(run, thread, 0));
	return RFS_THEN_EXECUTE;
}
