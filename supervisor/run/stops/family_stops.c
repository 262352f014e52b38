/*
 * family_stops.c - stops of the threads of other processes that are scheduled.
 *
 * Calls on descriptors, futex calls, sleeps, timers and looks at the clock are carried out as for the program, on what
 * the process itself has. Every other call is made as that of a process that is not controlled, but a call that may
 * wait is an operation. What processes may tell each other by a call gives order to their accesses (kernel_hb.h).
 */
#include "supervisor/run/stops/family_stops.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "supervisor/access/sites.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timer_calls.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/kernel/syscalls.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/stops/child_stops.h"
#include "supervisor/run/stops/thread_ends.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/signal_mask.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/thread_new.h"
#include "tracer/tracer.h"

/* The child has the stack of its parent, and the locks of the parent that are in its own memory. */
static void inherit(struct rfs_run *run, const struct rfs_thread *parent, struct rfs_thread *child)
{
	if (parent->stack_high) {
		child->stack_low = rfs_family_name(run, child, parent->stack_low);
		child->stack_high = rfs_family_name(run, child, parent->stack_high);
	}
	for (size_t i = 0; i < parent->sync.n_holds; i++) {
		const struct rfs_hold *hold = &parent->sync.holds[i];
		const rfs_addr lock = rfs_family_name(run, child, hold->lock);

		if (lock != hold->lock && !rfs_is_signal_mask(hold->lock) && !rfs_word_locks_is_lock(run, hold->lock))
			rfs_acquired(run, child, lock, hold->kind, 0);
	}
}

void rfs_family_born(struct rfs_run *run, struct rfs_thread *parent, const struct rfs_stop *stop)
{
	struct rfs_thread *child =
		rfs_thread_new(run, stop->child, rfs_pids_add(run, rfs_task_tid(stop->child)), parent);
	char path[64];
	FILE *maps;

	rfs_kernel_thread_init(child);
	snprintf(path, sizeof(path), "/proc/%d/maps", rfs_task_pid(parent->task));
	maps = fopen(path, "re");
	if (!maps) {
		rfs_run_uncontrolled(run, "cannot read %s: %s", path, strerror(errno));
		return;
	}
	if (rfs_family_add(run, child, rfs_task_space(parent->task), maps) == RFS_PROCESSES_MOST) {
		rfs_tracer_keep_forks(run->tracer, false);
		rfs_run_warn(run, "the program forks more than %d processes; the later ones are not controlled",
			     RFS_PROCESSES_MOST);
	}
	fclose(maps);
	inherit(run, parent, child);
	rfs_signal_family_born(run, parent, child);
	/* the bytes of both processes are still the same, and the parent has stopped */
	rfs_sites_new_thread(run, parent->task);
	run->result->counts.children++;
	rfs_partial_order_created(run, parent, child);
	rfs_emit_kind(run, parent, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_START, (uint64_t)child->number));
}

/* Whether the call reads, writes, or waits for a descriptor, or tells something of one. */
static bool is_on_descriptors(long number)
{
	switch (rfs_syscall_row(number)->waits) {
	case RFS_WAITS_READ:
	case RFS_WAITS_WRITE:
	case RFS_WAITS_MOVE:
	case RFS_WAITS_POLL:
	case RFS_WAITS_SELECT:
	case RFS_WAITS_EPOLL:
		return true;
	default:
		return number == SYS_connect || number == SYS_bind || number == SYS_getpeername ||
		       number == SYS_getsockname || number == SYS_getsockopt || number == SYS_shutdown;
	}
}

/* Whether the program's handlers of the call are right for another process too. */
static bool is_as_in_program(const struct rfs_stop *stop)
{
	if (is_on_descriptors(stop->number))
		return true;
	switch (stop->number) {
	case SYS_futex:
	case SYS_exit:
	case SYS_sched_yield:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_clock_gettime:
	case SYS_gettimeofday:
	case SYS_time:
	case SYS_getrandom:
	case SYS_signalfd:
	case SYS_signalfd4:
		return true;
	default:
		return false;
	}
}

static enum rfs_then go_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	/* a task that sleeps in the kernel does not show its registers */
	thread->n_stack = rfs_thread_stack(thread, thread->stack, sizeof(thread->stack) / sizeof(*thread->stack));
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_kernel_hb_family(run, thread, thread->syscall, thread->call->row, thread->args, false);
	return RFS_THEN_SLEEP;
}

/* What is mapped there later is other memory. */
static void unmaps(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size)
{
	const rfs_addr name = rfs_family_name(run, thread, address);

	if (name != address)
		rfs_emit_reset(run, thread, name, size);
	rfs_family_unmapped(run, thread, address, size);
}

static enum rfs_then calls(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	const struct rfs_syscall *row = rfs_syscall_row(stop->number);
	const rfs_site site = rfs_site_of(run, rfs_task_regs(thread->task)->rip);
	long result;
	bool to_exit;

	if (stop->number == SYS_munmap || stop->number == SYS_mremap ||
	    (stop->number == SYS_mmap && (stop->args[3] & MAP_FIXED)))
		unmaps(run, thread, stop->args[0], stop->args[1]);
	if (rfs_stop_is_64_bit(stop) && is_as_in_program(stop))
		return rfs_syscall_of_family(run, thread, stop);
	if (rfs_stop_is_64_bit(stop) && rfs_timers_answer(run, stop, &result)) {
		rfs_task_answer_syscall(stop->task, result);
		return RFS_THEN_EXECUTE;
	}
	if (stop->number == SYS_rt_sigaction)
		rfs_signal_family_action(run, thread, stop->args);
	if (stop->number == SYS_kill || stop->number == SYS_tgkill || stop->number == SYS_tkill ||
	    stop->number == SYS_rt_sigqueueinfo || stop->number == SYS_rt_tgsigqueueinfo)
		run->signals = true;
	to_exit = rfs_child_calls(run, stop);
	thread->syscall = stop->number;
	thread->call->row = row;
	thread->call->from_outside = thread->call->retry = false;
	memcpy(thread->args, stop->args, sizeof(thread->args));
	if (row->waits != RFS_WAITS_NOT)
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, site, 0), rfs_ready_always, go_call);
	rfs_kernel_hb_family(run, thread, stop->number, row, stop->args, false);
	return to_exit ? RFS_THEN_STOP_AT_EXIT : RFS_THEN_EXECUTE;
}

static enum rfs_then call_ends(struct rfs_run *run, struct rfs_thread *thread)
{
	if (is_on_descriptors(thread->syscall))
		return rfs_syscall_exit(run, thread);
	rfs_child_call_ends(run, thread->task);
	rfs_kernel_hb_family(run, thread, thread->syscall, rfs_syscall_row(thread->syscall), thread->args, true);
	if (thread->state == RFS_STATE_KERNEL)
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0), rfs_ready_always,
				rfs_go_on);
	return RFS_THEN_SETTLE;
}

static enum rfs_then go_deliver(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return RFS_THEN_DELIVER;
}

static enum rfs_then signalled(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	const int signo = stop->info.si_signo;
	siginfo_t info = stop->info;

	(void)rfs_timers_signal(run, thread->task, &info);
	rfs_kernel_hb_hears(run, thread);
	/* a signal of an instruction cannot be ignored */
	thread->pending_signo = info.si_code <= 0 && rfs_signal_is_ignored_by(thread, signo) ? 0 : signo;
	if (run->running && run->running != thread)
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, 0, 0), rfs_ready_always, go_deliver);
	return RFS_THEN_DELIVER;
}

/* The process executes another program. It leaves the run, and is not controlled any more. */
static enum rfs_then leaves(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	rfs_kernel_hb_tells(run, thread);
	rfs_thread_ended(run, thread);
	rfs_thread_left(run, thread);
	thread->task = NULL;
	rfs_task_set_data(stop->task, NULL);
	rfs_child_stopped(run, stop);
	return RFS_THEN_PARKED;
}

enum rfs_then rfs_family_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	switch (stop->kind) {
	case RFS_STOP_SYSCALL:
		return calls(run, thread, stop);
	case RFS_STOP_SYSCALL_EXIT:
		return call_ends(run, thread);
	case RFS_STOP_SIGNAL:
		return signalled(run, thread, stop);
	case RFS_STOP_EXEC:
		return leaves(run, thread, stop);
	case RFS_STOP_EXITING:
		rfs_thread_exits(run, thread, thread->syscall == SYS_exit);
		return RFS_THEN_PARKED;
	default:
		return RFS_THEN_UNDECIDED;
	}
}
