/* thread_begins.c - new threads and processes, from the clone of their parents on. */
#include "supervisor/run/stops/thread_begins.h"

#include <sys/syscall.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/access/sites.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/kernel/signals/signal_calls.h"
#include "supervisor/run/stops/children.h"
#include "supervisor/run/stops/family_stops.h"
#include "supervisor/run/stops/processes.h"
#include "supervisor/run/stops/resume.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/thread_new.h"
#include "supervisor/state/operations/thread_stacks.h"
#include "tracer/memory.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

struct rfs_thread *rfs_thread_seen(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *creator)
{
	struct rfs_thread *thread = rfs_thread_new(run, task, rfs_pids_add(run, rfs_task_tid(task)), creator);

	rfs_kernel_thread_init(thread);
	rfs_sites_new_thread(run, task);
	return thread;
}

static enum rfs_then go_start(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	thread->tls = rfs_family_name(run, thread, rfs_task_regs(thread->task)->fs_base);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_START, (uint64_t)thread->number));
	return RFS_THEN_EXECUTE;
}

static enum rfs_then park_start(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->tls = rfs_family_name(run, thread, rfs_task_regs(thread->task)->fs_base);
	return rfs_park(run, thread, rfs_op_make(RFS_OP_START, 0, 0), rfs_ready_always, go_start);
}

enum rfs_then rfs_thread_begins(struct rfs_run *run, struct rfs_thread *t)
{
	rfs_pids_started(run, t->task);
	if (t->state == RFS_STATE_RUNNING) /* the process has taken the place of the one that forked it */
		return RFS_THEN_EXECUTE;
	if (rfs_stub_buffer_given_up(rfs_task_space(t->task)))
		rfs_stubs_give_up(run, t, "more threads exist at once than the stubs support");
	return park_start(run, t);
}

/*
 * A new thread may reuse an ended thread's stack and thread-local variables. That memory holds other objects from now
 * on. Thread-local variables of the program, and of libraries loaded with it, are between the stack and the thread
 * pointer (ELF Handling For Thread-Local Storage, section 3.4.1, variant II). If a library is loaded later, its
 * thread-local variables come from malloc.
 */
#define STATIC_TLS_MAX (1u << 20)

static void reset_thread_memory(struct rfs_run *run, struct rfs_thread *parent, const struct rfs_thread *child)
{
	rfs_addr end = child->stack_high;

	if (end <= child->stack_low)
		return;
	if (child->tls > end && child->tls - end < STATIC_TLS_MAX)
		end = child->tls;
	rfs_emit_reset(run, parent, child->stack_low, end - child->stack_low);
}

/*
 * Reads the new thread's stack, thread pointer and clear_tid word from the arguments of the parent's clone or clone3
 * call.
 */
static void read_clone(struct rfs_run *run, struct rfs_thread *parent, struct rfs_thread *child)
{
	const struct user_regs_struct *regs = rfs_task_regs(parent->task);
	struct rfs_mapping stack;

	child->tls = regs->r8;
	if (regs->orig_rax == SYS_clone3) {
		/* struct clone_args: flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls */
		uint64_t args[8] = {0};

		if (!rfs_peek(run, regs->rdi, args, sizeof(args)))
			return;
		child->clear_tid = args[2];
		child->stack_low = args[5];
		child->stack_high = args[5] + args[6];
		child->tls = args[7];
	} else {
		child->clear_tid = regs->r10;
		child->start.own_stack = false; /* the mapping may have other memory too */
		if (rfs_space_mapping(rfs_task_space(parent->task), regs->rsi - 1, &stack)) {
			child->stack_low = stack.start;
			child->stack_high = stack.end;
		}
	}
	child->tls = rfs_family_name(run, child, child->tls);
	child->clear_tid = rfs_family_name(run, child, child->clear_tid);
	if (child->stack_high) {
		child->stack_low = rfs_family_name(run, child, child->stack_low);
		child->stack_high = rfs_family_name(run, child, child->stack_high);
	}
	reset_thread_memory(run, parent, child);
	rfs_quarantine_renew(run, child->stack_low, child->stack_high - child->stack_low);
	rfs_thread_stack_begins(run, child);
}

/*
 * The thread leaves clone or a similar call. The thread stops at the exit of the call if the id in the result has to be
 * translated.
 */
static enum rfs_then on_to_exit(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->syscall = SYS_clone;
	if (rfs_pids_in_call(run, thread->task) && (!run->running || run->running == thread))
		return RFS_THEN_STOP_AT_EXIT;
	return RFS_THEN_EXECUTE;
}

static enum rfs_then begins_go_to_exit(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return on_to_exit(run, thread);
}

enum rfs_then rfs_thread_clones(struct rfs_run *run, struct rfs_thread *parent, const struct rfs_stop *stop)
{
	struct rfs_thread *child;

	if (stop->child)
		rfs_pids_born(run, parent->task, stop->child);
	if (stop->child && !stop->taken && rfs_task_pid(stop->child) == rfs_task_pid(stop->task)) {
		child = rfs_task_data(stop->child);
		if (!child)
			child = rfs_thread_seen(run, stop->child, parent);
		else if (!child->creator)
			rfs_thread_adopt(child, parent);
		child->process = parent->process;
		rfs_family_threaded(run, child);
		read_clone(run, parent, child);
		rfs_partial_order_created(run, parent, child);
		rfs_emit_kind(run, parent, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_START, (uint64_t)child->number));
	} else {
		if (stop->taken)
			rfs_processes_take(run, parent, stop);
		else if (stop->child && stop->kept)
			rfs_family_born(run, parent, stop);
		else if (stop->child)
			rfs_children_seen(run, stop->child);
		rfs_processes_forked(run, stop);
		rfs_signal_forked(run, parent);
		run->served.telling = "starts a process";
		/* after main, its rdtsc traps from its first stop on */
		if (!run->tsc.reads_tsc)
			rfs_unknown_code_appears(run);
		run->signals = true; /* the end of the child process sends SIGCHLD */
	}
	if (stop->taken) {
		(void)rfs_resume_beside(stop->task, RFS_RESUME_SYSCALL, 0);
		return RFS_THEN_PARKED;
	}
	if (stop->kind == RFS_STOP_VFORK) {
		/*
		 * The parent waits in the kernel for its child, and the other threads continue. The parent's return
		 * is an operation.
		 */
		parent->state = RFS_STATE_KERNEL;
		parent->syscall = SYS_vfork;
		parent->deadline = RFS_NEVER;
		if (run->running == parent)
			run->running = NULL;
		(void)rfs_resume_beside(parent->task, RFS_RESUME_RUN, 0);
		return RFS_THEN_PARKED;
	}
	return on_to_exit(run, parent);
}

/* The parent's return from vfork is an operation. */
enum rfs_then rfs_thread_vfork_done(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, 0, 0), rfs_ready_always, begins_go_to_exit);
}
