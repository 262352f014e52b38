/*
 * syscalls.c - a system call of the target at its entry and at its exit.
 *
 * The table says what each call means (syscall_table.h). Calls that are not in the table never stop.
 */
#include "supervisor/kernel/syscalls.h"

#include <string.h>

#include "policy/policy.h"
#include "supervisor/kernel/blocking.h"
#include "supervisor/kernel/call_state.h"
#include "supervisor/kernel/input.h"
#include "supervisor/kernel/kernel_hb.h"
#include "supervisor/kernel/pids.h"
#include "supervisor/kernel/poll_calls.h"
#include "supervisor/kernel/ports.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/kernel/translate.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

enum rfs_then rfs_syscall_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	const struct rfs_syscall *row = rfs_syscall_row(stop->number);
	enum rfs_then then = RFS_THEN_UNDECIDED;

	if (run->server_syscall && run->server_syscall(run, stop))
		return RFS_THEN_EXECUTE;
	thread->syscall = stop->number;
	thread->call->row = row;
	thread->call->from_outside = thread->call->inet = false;
	memcpy(thread->args, stop->args, sizeof(thread->args));
	thread->next = rfs_op_make(RFS_OP_SYSCALL, rfs_site_of(run, rfs_task_regs(thread->task)->rip), 0);
	if (row->enter)
		then = row->enter(run, thread);
	return then ? then : rfs_syscall_proceed(run, thread);
}

enum rfs_then rfs_syscall_exit(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_syscall *row = rfs_syscall_row(thread->syscall);
	struct user_regs_struct *regs;

	thread->call->row =
		row; /* for most calls the row is set at the entry, but clone and vfork did not stop there */
	rfs_pids_end(run, thread->task);
	rfs_poll_restore(thread);
	if (thread->call->inet)
		rfs_blocking_push(run, thread);
	if (row->returned)
		row->returned(run, thread, (long)rfs_task_regs(thread->task)->rax);
	rfs_ports_end(run, thread->task);
	rfs_input_returned(run, thread, thread->state == RFS_STATE_KERNEL);
	rfs_kernel_hb_end(run, thread, (long)rfs_task_regs(thread->task)->rax);
	if (thread->state == RFS_STATE_KERNEL) {
		/* The thread has left the kernel. It continues when the policy picks it. */
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0), rfs_ready_always,
				rfs_go_on);
	}
	regs = rfs_task_regs_mut(thread->task);
	if (rfs_poll_is_again(thread, (long)regs->rax)) {
		regs->rax = (uint64_t)thread->syscall;
		regs->rip -= 2; /* back to the syscall instruction */
	}
	return RFS_THEN_SETTLE;
}
