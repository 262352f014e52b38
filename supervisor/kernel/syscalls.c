/*
 * syscalls.c - a system call of the target at its entry and at its exit.
 *
 * The table says what each call means (syscall_table.h). Calls that are not in the table never stop.
 */
#include "supervisor/kernel/syscalls.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "supervisor/kernel/call_place.h"
#include "supervisor/kernel/calls/blocking.h"
#include "supervisor/kernel/calls/poll_calls.h"
#include "supervisor/kernel/calls/process_calls.h"
#include "supervisor/kernel/calls/unmapped.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/core/wait_arguments.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/fd_calls.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/ports.h"
#include "supervisor/kernel/ids/translate.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/object_calls.h"
#include "supervisor/kernel/shared_calls.h"
#include "supervisor/kernel/signals/signal_calls.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

/*
 * So many calls in a row that are not scheduled are a yield, which takes this virtual time. Otherwise a loop such as
 * `while (!stop) close(open(...))` would starve the thread that sets `stop`, and a timer would never fire in it.
 */
#define CALLS_IN_A_ROW 100
#define YIELD_NANOS (CALLS_IN_A_ROW * 50000ull)

static enum rfs_then make_call(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_syscall *row = thread->call->row;
	enum rfs_then then = row->enter ? row->enter(run, thread) : RFS_THEN_UNDECIDED;

	return then ? then : rfs_syscall_proceed(run, thread);
}

static enum rfs_then syscalls_go_yield(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_advance(run, run->time.now + YIELD_NANOS);
	thread->call->in_a_row = 0;
	thread->call->operations = thread->operations;
	thread->next = rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0);
	return make_call(run, thread);
}

static bool anyone_waits(const struct rfs_run *run)
{
	size_t alive = 0;

	for (size_t i = 0; i < run->n_threads; i++)
		alive += run->threads[i]->state != RFS_STATE_ENDED;
	return alive > 1 || rfs_timers_next(run) != RFS_NEVER;
}

/* Whether the thread has made so many calls since its last visible operation that it yields. */
static bool yields(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_call_state *call = thread->call;

	if (call->operations != thread->operations)
		call->in_a_row = 0;
	call->operations = thread->operations;
	return ++call->in_a_row > CALLS_IN_A_ROW && anyone_waits(run);
}

/* Whether runs that follow neither descriptors nor kernel objects would not stop at the call. */
static bool is_followed_only(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_syscall *row, long number,
			     const unsigned long *args)
{
	switch (row->kind) {
	case RFS_SYSCALL_FOLLOWED:
	case RFS_SYSCALL_UNLISTED:
	case RFS_SYSCALL_SERVER:
		return true;
	case RFS_SYSCALL_MAPPING: /* special_maps of struct rfs_launch */
		if (number == SYS_mremap)
			return !rfs_sys_mremap_matters(run, thread, args);
		return number != SYS_mmap || (!(args[2] & PROT_EXEC) && (args[3] & MAP_TYPE) == MAP_PRIVATE);
	default:
		return false;
	}
}

/* Whether the call may map memory where something was unmapped. */
static bool is_mapping(long number)
{
	return number == SYS_mmap || number == SYS_mremap || number == SYS_shmat;
}

/* The call, which is an operation only because its descriptor or object is under test, was chosen. */
static enum rfs_then go_tested(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	thread->next = rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0);
	return make_call(run, thread);
}

/* What the thread stores about the call that it makes. */
static void store_call(struct rfs_thread *thread, const struct rfs_stop *stop, const struct rfs_syscall *row)
{
	thread->syscall = stop->number;
	thread->call->row = row;
	thread->call->from_outside = thread->call->inet = thread->call->retry = thread->call->in_family = false;
	memcpy(thread->args, stop->args, sizeof(thread->args));
}

/* The thread makes the call, which may be an operation. */
static enum rfs_then goes_on(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op)
{
	thread->next = op;
	if (yields(run, thread))
		return rfs_park(run, thread, rfs_op_make(RFS_OP_YIELD, thread->next.site, 0), rfs_ready_always,
				syscalls_go_yield);
	return make_call(run, thread);
}

static struct rfs_op op_of_call(struct rfs_run *run, const struct rfs_thread *thread)
{
	return rfs_op_make(RFS_OP_SYSCALL, rfs_site_of(run, rfs_task_regs(thread->task)->rip), 0);
}

enum rfs_then rfs_syscall_of_family(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	const struct rfs_syscall *row = rfs_syscall_row(stop->number);

	rfs_kernel_hb_family(run, thread, stop->number, row, stop->args, false);
	store_call(thread, stop, row);
	return goes_on(run, thread, op_of_call(run, thread));
}

enum rfs_then rfs_syscall_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	const struct rfs_syscall *row = rfs_syscall_row(stop->number);
	struct rfs_op op = op_of_call(run, thread);
	struct rfs_call_place place = {0};
	bool tested;

	if (rfs_family_any(run))
		rfs_kernel_hb_family(run, thread, stop->number, row, stop->args, false);
	rfs_shared_calls_note(run, thread, stop->number, stop->args);
	rfs_aliases_call(run, thread, stop->number, stop->args);
	rfs_signal_mask_note(run, thread, stop->number, stop->args);
	if (run->served.syscall && run->served.syscall(run, stop))
		return RFS_THEN_EXECUTE;
	if (stop->number == SYS_munmap || stop->number == SYS_mremap)
		rfs_family_unmapped(run, thread, stop->args[0], stop->args[1]);
	rfs_fd_calls_note(run, thread, row, stop->args, &place);
	if (is_mapping(stop->number))
		rfs_unmapped_renew(run, thread);
	rfs_object_calls_note(run, thread, stop->number, stop->args, &place);
	tested = rfs_fd_calls_tested(run, thread, row, stop->args, &place, &op) ||
		 rfs_object_calls_parks(run, thread, stop->number, stop->args, &place, &op);
	if (is_followed_only(run, thread, row, stop->number, stop->args) && !tested)
		return RFS_THEN_EXECUTE;
	store_call(thread, stop, row);
	return tested ? rfs_park(run, thread, op, rfs_ready_always, go_tested) : goes_on(run, thread, op);
}

enum rfs_then rfs_syscall_exit(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_syscall *row = rfs_syscall_row(thread->syscall);
	struct user_regs_struct *regs;

	thread->call->row =
		row; /* for most calls the row is set at the entry, but clone and vfork did not stop there */
	rfs_pids_end(run, thread->task);
	rfs_call_restore_size(thread);
	rfs_poll_restore(run, thread);
	rfs_poll_ignores(run, thread);
	if (thread->call->inet)
		rfs_blocking_push(run, thread);
	if (row->returned)
		row->returned(run, thread, (long)rfs_task_regs(thread->task)->rax);
	rfs_ports_end(run, thread->task);
	rfs_input_returned(run, thread, thread->state == RFS_STATE_KERNEL);
	rfs_kernel_hb_end(run, thread, (long)rfs_task_regs(thread->task)->rax);
	if (rfs_family_any(run))
		rfs_kernel_hb_family(run, thread, thread->syscall, row, thread->args, true);
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
