/* process_calls.c - system calls that change the target's memory or threads, so that rfsup must know of them. */
#include "supervisor/kernel/calls/process_calls.h"

#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "supervisor/access/generated_code.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/calls/unmapped.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/misuse.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/thread_end.h"
#include "tracer/tracer.h"

/* ---- threads ---- */

static enum rfs_then go_exit(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_misuse_exit(run, thread);
	rfs_quarantine_exit(run, thread);
	thread->start.joining.left = true;
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_EXIT, (uint64_t)thread->number));
	return RFS_THEN_LEAVE;
}

enum rfs_then rfs_sys_exit(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_park(run, thread, rfs_thread_end(run, thread), rfs_ready_always, go_exit);
}

static enum rfs_then process_calls_go_yield(struct rfs_run *run, struct rfs_thread *thread,
					    const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_clock_yielded(run);
	return rfs_syscall_answer(thread, 0);
}

enum rfs_then rfs_sys_yield(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_park(run, thread, rfs_op_make(RFS_OP_YIELD, thread->next.site, 0), rfs_ready_always,
			process_calls_go_yield);
}

enum rfs_then rfs_sys_set_tid_address(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	thread->clear_tid = thread->args[0];
	thread->tls = rfs_task_regs(thread->task)->fs_base;
	return RFS_THEN_UNDECIDED;
}

enum rfs_then rfs_sys_arch_prctl(struct rfs_run *run, struct rfs_thread *thread)
{
	if (thread->args[0] == ARCH_SET_GS)
		rfs_stubs_give_up(run, thread, RFS_GS_IN_USE);
	return RFS_THEN_UNDECIDED;
}

/* ---- memory ---- */

/* Stops at the exit of a call that may change generated code. Otherwise, it goes on as `then` says. */
static enum rfs_then exit_of(struct rfs_run *run, struct rfs_thread *thread, long number, enum rfs_then then)
{
	return rfs_generated_calls(run, thread, number, thread->args) ? RFS_THEN_STOP_AT_EXIT : then;
}

enum rfs_then rfs_sys_mmap(struct rfs_run *run, struct rfs_thread *thread)
{
	const bool is_fixed = thread->args[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE);

	if ((thread->args[3] & MAP_TYPE) != MAP_PRIVATE)
		rfs_nondet_map(run, thread);
	rfs_unknown_code_mapped(run, thread, is_fixed ? thread->args[0] : 0, thread->args[1], thread->args[2]);
	if (run->ended)
		return RFS_THEN_END;
	return exit_of(run, thread, SYS_mmap, RFS_THEN_EXECUTE);
}

enum rfs_then rfs_sys_munmap(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_unmapped_add(run, thread, thread->args[0], thread->args[1]);
	rfs_quarantine_renew(run, thread->args[0], thread->args[1]);
	return exit_of(run, thread, SYS_munmap, RFS_THEN_UNDECIDED);
}

enum rfs_then rfs_sys_mprotect(struct rfs_run *run, struct rfs_thread *thread)
{
	if (thread->args[2] & PROT_WRITE)
		rfs_stubs_remove_patches(run, thread, thread->args[0], thread->args[1]);
	rfs_unknown_code_mapped(run, thread, thread->args[0], thread->args[1], thread->args[2]);
	return run->ended ? RFS_THEN_END : exit_of(run, thread, SYS_mprotect, RFS_THEN_UNDECIDED);
}

enum rfs_then rfs_sys_mremap(struct rfs_run *run, struct rfs_thread *thread)
{
	return exit_of(run, thread, SYS_mremap, RFS_THEN_EXECUTE);
}

bool rfs_sys_mremap_matters(struct rfs_run *run, struct rfs_thread *thread, const unsigned long *args)
{
	return rfs_generated_calls(run, thread, SYS_mremap, args);
}

void rfs_sys_memory_returned(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	rfs_generated_called(run, thread, thread->syscall, thread->args, result);
}

enum rfs_then rfs_sys_shmat(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_nondet_attach(run, thread);
	return RFS_THEN_UNDECIDED;
}
