/*
 * stops.c - finds out what each stop of a task means for the run.
 *
 * Tasks without a struct rfs_thread belong to child processes of the target. They are never scheduled, only resumed.
 */
#include "supervisor/run/stops.h"

#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/access.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/hot_statements.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/access/sites.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/ports.h"
#include "supervisor/kernel/ids/privileges.h"
#include "supervisor/kernel/ids/translate.h"
#include "supervisor/kernel/ids/virtual_hardware.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/kernel/refused.h"
#include "supervisor/kernel/signals/signal_calls.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/kernel/syscalls.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/children.h"
#include "supervisor/run/follow_run.h"
#include "supervisor/run/resume.h"
#include "supervisor/run/stub_drain.h"
#include "supervisor/run/watchdog.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/findings/misuse.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/thread_new.h"
#include "supervisor/state/operations/thread_stacks.h"
#include "supervisor/sync/before_main.h"
#include "supervisor/sync/futex.h"
#include "supervisor/sync/pthread_calls.h"
#include "supervisor/sync/pthread_cond.h"
#include "tracer/breakpoint.h"
#include "tracer/loader.h"
#include "tracer/memory.h"
#include "tracer/module.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"
#include "tracer/trampoline.h"

#define X32_BIT 0x40000000l

/* The table of system calls has only the numbers of 64-bit calls. */
static bool is_64_bit(const struct rfs_stop *stop)
{
	return stop->arch == AUDIT_ARCH_X86_64 && !(stop->number & X32_BIT);
}

/*
 * Handles the stop of a task of a child process. Its calls that involve ids or ports are answered or translated like
 * the target's own calls. Returns how to resume the task.
 */
static enum rfs_resume foreign_call(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_task *task = stop->task;
	const struct rfs_syscall *row;
	bool in_call = false;
	long result;

	switch (stop->kind) {
	case RFS_STOP_SYSCALL:
		if (!is_64_bit(stop)) {
			rfs_children_note_32_bit(run);
			break;
		}
		row = rfs_syscall_row(stop->number);
		rfs_signal_note_kill(run, row, stop->args);
		if (rfs_refused_child(run, task, stop->number))
			break;
		if (rfs_pids_answer(run, task, row->ids, &result) ||
		    (stop->number == SYS_prctl && rfs_privileges_answer(run, task, stop->args, &result)))
			rfs_task_answer_syscall(task, result);
		else
			in_call = rfs_syscall_translate(run, task, row, stop->args);
		break;
	case RFS_STOP_SYSCALL_EXIT:
		rfs_pids_end(run, task);
		rfs_ports_end(run, task);
		break;
	case RFS_STOP_CLONE:
	case RFS_STOP_FORK:
	case RFS_STOP_VFORK:
		rfs_children_note_thread(run, stop);
		if (stop->child) {
			rfs_pids_born(run, task, stop->child);
			/* count the child now, because its first stop may come later */
			rfs_children_seen(run, stop->child);
		}
		in_call = true;
		break;
	case RFS_STOP_VFORK_DONE:
		in_call = rfs_pids_in_call(run, task);
		break;
	case RFS_STOP_NEW:
		rfs_pids_started(run, task);
		rfs_tsc_insns_trap(run, task);
		break;
	case RFS_STOP_SIGNAL:
		rfs_pids_signal(run, task, &stop->info);
		break;
	case RFS_STOP_EXITING:
		rfs_futex_robust_to_kernel(task, rfs_pids_shown(run, rfs_task_tid(task)), false);
		break;
	case RFS_STOP_RDTSC:
		rfs_rdtsc(run, task, NULL);
		break;
	case RFS_STOP_CPUID:
		rfs_cpuid(run, task);
		break;
	default:
		break;
	}
	return in_call ? RFS_RESUME_SYSCALL : RFS_RESUME_RUN;
}

static void resume_foreign(struct rfs_run *run, const struct rfs_stop *stop)
{
	int signo = stop->kind == RFS_STOP_SIGNAL ? stop->info.si_signo : 0;
	enum rfs_resume how;

	if (stop->kind == RFS_STOP_EXITED || stop->kind == RFS_STOP_KILLED) {
		rfs_children_gone(run, stop->task);
		rfs_follow_ended(run, stop);
		rfs_pids_gone(run, rfs_task_tid(stop->task));
		rfs_task_forget(stop->task);
		return;
	}
	rfs_children_seen(run, stop->task);
	if (stop->kind == RFS_STOP_INSIDE)
		rfs_stubs_learn(run, stop->task, stop->address);
	how = stop->kind == RFS_STOP_GROUP ? RFS_RESUME_LISTEN : foreign_call(run, stop);
	(void)rfs_resume_beside(stop->task, how, signo);
}

static void module_added(void *arg, struct rfs_module *module)
{
	struct rfs_run *run = ((void **)arg)[0];
	struct rfs_thread *thread = ((void **)arg)[1];
	struct rfs_module_info *info = rfs_info_new(run, module);

	module->data = info;
	info->watched = rfs_is_watched(run, module);
	rfs_tsc_insns_add_module(run, thread, module);
	rfs_pthread_add_module(run, thread, module);
	rfs_sites_add_module(run, thread, module);
}

static void module_gone(void *arg, struct rfs_module *module)
{
	struct rfs_module_info *info = module->data;
	struct rfs_run *run = ((void **)arg)[0];

	info->gone = true;
	rfs_recorded_calls_forget(run, info->start, info->end);
	rfs_gdb_forget(run, info->start, info->end);
}

static void update_modules(struct rfs_run *run, struct rfs_thread *thread)
{
	void *arg[2] = {run, thread};
	int error = rfs_modules_update(thread->task, module_added, module_gone, arg);

	if (error && error != -ESRCH)
		rfs_run_uncontrolled(run, "cannot track the files that the loader maps: %s", strerror(-error));
	if (rfs_modules_left_out(rfs_task_space(thread->task)))
		rfs_unknown_code_appears(run);
}

static struct rfs_thread *new_thread(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *creator)
{
	struct rfs_thread *thread = rfs_thread_new(run, task, rfs_pids_add(run, rfs_task_tid(task)), creator);

	rfs_kernel_thread_init(thread);
	rfs_sites_new_thread(run, task);
	return thread;
}

static enum rfs_then exec_done(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_thread *t = rfs_task_data(stop->task);
	struct rfs_mapping stack;

	if (!t)
		t = new_thread(run, stop->task, NULL);
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i] != t)
			rfs_thread_ended(run, run->threads[i]);
	t->task = stop->task;
	t->tid = t->sync.tid = rfs_pids_add(run, rfs_task_tid(stop->task));
	for (size_t i = 0; i < run->n_modules; i++)
		run->modules[i]->gone = true;
	rfs_gdb_forget(run, 0, RFS_NEVER);
	rfs_tsc_insns_trap(run, t->task);
	run->reads_tsc = run->reads_cpuid = run->unknown_code = run->hides_cpuid = run->asan = run->msan = false;
	rfs_pthread_release(run);
	run->dying = false;
	t->tls = t->clear_tid = 0;
	t->n_returns = 0;
	rfs_sync_thread_exec(&t->sync);
	run->ocaml_lock = 0;
	rfs_words_reset(run->word_locks, 0, UINT64_MAX);
	rfs_lock_order_exec(run);
	rfs_objects_release(&run->objects);
	rfs_access_drop(t);
	rfs_stores_drop(run);
	rfs_hot_exec(run);
	rfs_signals_exec(run);
	if (rfs_space_mapping(rfs_task_space(t->task), rfs_task_regs(t->task)->rsp, &stack)) {
		t->stack_low = stack.start;
		t->stack_high = stack.end;
	}
	rfs_stubs_open(run, t);
	update_modules(run, t);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then go_start(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	thread->tls = rfs_task_regs(thread->task)->fs_base;
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_START, (uint64_t)thread->number));
	return RFS_THEN_EXECUTE;
}

static enum rfs_then park_start(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->tls = rfs_task_regs(thread->task)->fs_base;
	return rfs_park(run, thread, rfs_op_make(RFS_OP_START, 0, 0), rfs_ready_always, go_start);
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
		child->own_stack = false; /* the mapping may have other memory too */
		if (rfs_space_mapping(rfs_task_space(parent->task), regs->rsi - 1, &stack)) {
			child->stack_low = stack.start;
			child->stack_high = stack.end;
		}
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

static enum rfs_then stops_go_to_exit(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return on_to_exit(run, thread);
}

static enum rfs_then cloned(struct rfs_run *run, struct rfs_thread *parent, const struct rfs_stop *stop)
{
	struct rfs_thread *child;

	if (stop->child)
		rfs_pids_born(run, parent->task, stop->child);
	if (stop->child && rfs_task_pid(stop->child) == rfs_tracer_pid(run->tracer)) {
		child = rfs_task_data(stop->child);
		if (!child)
			child = new_thread(run, stop->child, parent);
		else if (!child->creator)
			rfs_thread_adopt(child, parent);
		read_clone(run, parent, child);
		rfs_partial_order_created(run, parent, child);
		rfs_emit_kind(run, parent, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_START, (uint64_t)child->number));
	} else {
		if (stop->child)
			rfs_children_seen(run, stop->child);
		run->telling = "starts a process";
		/* after main, its rdtsc traps from its first stop on */
		if (!run->reads_tsc)
			rfs_unknown_code_appears(run);
		run->signals = true; /* the end of the child process sends SIGCHLD */
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

/* A controlled thread is about to end. alone: only this thread ends, not the whole process. */
static void exiting(struct rfs_run *run, struct rfs_thread *thread, bool alone)
{
	bool leader = rfs_task_tid(thread->task) == rfs_tracer_pid(run->tracer);
	rfs_addr robust[64];
	size_t n_robust = alone ? rfs_futex_robust_list(run, thread, robust, 64) : 0;
	size_t others = 0;

	for (size_t i = 0; i < run->n_threads; i++)
		others += run->threads[i] != thread && run->threads[i]->state != RFS_STATE_ENDED;
	if (!alone || others == 0)
		rfs_gdb_exiting(run, thread);
	if (run->ended)
		return;
	rfs_futex_robust_to_kernel(thread->task, thread->tid, true);
	rfs_futex_robust_died(run, thread, robust, n_robust);
	if (!alone)
		run->dying = true;
	if (rfs_resume_beside(thread->task, RFS_RESUME_RUN, 0) != 0)
		return;
	if (!alone || !leader || others == 0) {
		if (alone && n_robust)
			rfs_futex_thread_gone(run, 0, robust, n_robust);
		return;
	}
	/*
	 * The kernel reports the leader's exit only after the last thread has ended. Wait until the leader is a
	 * zombie, because the kernel has then cleared the leader's clear_tid word.
	 */
	while (rfs_task_state(thread->task) != 'Z' && rfs_task_state(thread->task) != 0)
		nanosleep(&(struct timespec){0, 20000}, NULL);
	rfs_futex_thread_gone(run, thread->clear_tid, robust, n_robust);
	rfs_thread_ended(run, thread);
}

static void gone(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	bool replaced = stop->kind == RFS_STOP_EXITED && stop->message;
	bool leader = !replaced && rfs_task_tid(stop->task) == rfs_tracer_pid(run->tracer);

	if (stop->kind == RFS_STOP_KILLED)
		run->dying = true;
	if (thread->task == stop->task) {
		rfs_thread_ended(run, thread);
		rfs_futex_thread_gone(run, thread->clear_tid, NULL, 0);
		thread->task = NULL;
	}
	if (!replaced)
		rfs_pids_gone(run, rfs_task_tid(stop->task));
	if (leader)
		rfs_stubs_check_table(run, stop->task);
	rfs_task_forget(stop->task);
	/* a run that nobody in it has ended says nothing about its schedule */
	if (leader && stop->kind == RFS_STOP_KILLED && stop->status == SIGKILL && !rfs_signal_kills(run))
		rfs_run_uncontrolled(run, "the program was killed from outside (SIGKILL), by a user or because memory "
					  "was exhausted");
	if (leader && stop->kind == RFS_STOP_EXITED && stop->status == 0 && !run->ended)
		rfs_misuse_end(run);
	if (leader)
		rfs_run_end(run, stop->kind == RFS_STOP_EXITED ? RFS_END_EXIT : RFS_END_SIGNAL, stop->status);
}

static enum rfs_then stops_go_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return RFS_THEN_DELIVER;
}

/*
 * A parked thread with a pending signal runs the signal's handler before its operation. If the thread is parked at an
 * instruction, it is simply resumed. The kernel first delivers the signal, and after the handler the thread reaches the
 * breakpoint again. If the thread is parked in a system call that rfsup answers, the call is interrupted.
 */
enum rfs_then rfs_deliver_pending(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long mask;

	/* the signal that the thread already has comes first; the kernel delivers the other one after it */
	if (thread->go == stops_go_signal)
		return RFS_THEN_UNDECIDED;
	if (!rfs_signal_waits(run, thread, &mask)) {
		bool any = run->n_children > 0;

		for (size_t i = 0; i < run->n_threads && !any; i++)
			any = run->threads[i]->state == RFS_STATE_PARKED &&
			      rfs_signal_waits(run, run->threads[i], &mask);
		run->signals = any;
		return RFS_THEN_UNDECIDED;
	}
	return rfs_go_interrupt(run, thread);
}

static enum rfs_then signalled(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	siginfo_t info = stop->info;
	const int signo = info.si_signo;
	bool fault;

	rfs_quarantine_signal(run, thread, &info);
	fault = info.si_code > 0 &&
		(signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE || signo == SIGTRAP);

	if (!rfs_timers_signal(run, thread->task, &info))
		rfs_pids_signal(run, thread->task, &info);
	rfs_signal_received(run, thread, signo);
	if (signo == SIGABRT)
		rfs_fault_aborts(run, thread);
	run->had_fault |= fault;
	if (fault || signo == SIGABRT)
		rfs_evidence_fault(run, thread, signo == SIGABRT); /* it may be the end; a later fault replaces this */
	if (run->running && run->running != thread) {
		/*
		 * The thread returned from the kernel while another thread runs, so the signal waits for this
		 * thread's turn.
		 */
		thread->pending_signo = signo;
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, 0, 0), rfs_ready_always, stops_go_signal);
	}
	/*
	 * Do not deliver an ignored signal. The kernel would discard it, but the thread would first return to the
	 * breakpoint that it was passing. If a signal such as SIGCHLD came at that time, the thread would execute the
	 * operation at the breakpoint twice.
	 */
	thread->pending_signo = !fault && rfs_signal_is_ignored(run, signo) ? 0 : signo;
	return RFS_THEN_DELIVER;
}

static enum rfs_then breakpoint(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	struct rfs_hook *hook;

	for (int i = 0; i < 2 && !stop->breakpoint; i++)
		if (stop->address == rfs_space_trampoline(thread->task, i)) {
			return rfs_cond_trampoline(run, thread, i);
		}
	rfs_gdb_arrived(run, thread, stop->address);
	if (run->ended)
		return RFS_THEN_END;
	if (rfs_modules_changed_here(rfs_task_space(thread->task), stop->address)) {
		update_modules(run, thread);
		return RFS_THEN_EXECUTE;
	}
	hook = stop->breakpoint ? rfs_breakpoint_data(stop->breakpoint) : NULL;
	if (!hook)
		return RFS_THEN_EXECUTE;
	if (hook->main && rfs_main_begins(run, thread, hook, stop->breakpoint)) {
		rfs_run_end(run, RFS_END_CANCELLED, 0);
		return RFS_THEN_END;
	}
	if (hook->returns)
		rfs_call_returned(run, thread);
	if (hook->rdtsc) {
		rfs_rdtsc(run, thread->task, thread);
		rfs_task_regs_mut(thread->task)->rip = stop->address + hook->rdtsc;
		return RFS_THEN_EXECUTE;
	}
	if (hook->cpuid) {
		rfs_cpuid(run, thread->task);
		rfs_task_regs_mut(thread->task)->rip = stop->address + hook->cpuid;
		return RFS_THEN_EXECUTE;
	}
	if (hook->call)
		return rfs_pthread_enter(run, thread, hook->call);
	if (hook->site)
		return rfs_site_hit(run, thread, hook->site, stop->breakpoint);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then system_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	if (!is_64_bit(stop)) {
		rfs_run_uncontrolled(run,
				     "the program made a 32-bit or x32 system call (%ld), which rfsup cannot control",
				     stop->number);
		return RFS_THEN_END;
	}
	return rfs_syscall_enter(run, thread, stop);
}

static enum rfs_then embryo(struct rfs_run *run, struct rfs_thread *t)
{
	rfs_pids_started(run, t->task);
	if (rfs_stub_buffer_given_up(rfs_task_space(t->task)))
		rfs_stubs_give_up(run, t, "more threads exist at once than the stubs support");
	return park_start(run, t);
}

static enum rfs_then group_stopped(struct rfs_run *run, struct rfs_thread *t)
{
	t->state = RFS_STATE_KERNEL;
	if (run->running == t)
		run->running = NULL;
	(void)rfs_resume_beside(t->task, RFS_RESUME_LISTEN, 0);
	return RFS_THEN_PARKED;
}

/* The thread answers an interrupt of the watchdog or the debugger. */
static enum rfs_then interrupted(struct rfs_run *run, struct rfs_thread *t)
{
	enum rfs_then then = rfs_watchdog_interrupted(run, t);

	if (then)
		return then;
	if (run->running != t)
		return rfs_park_for_turn(run, t);
	rfs_gdb_interrupted(run, t);
	return run->ended ? RFS_THEN_END : RFS_THEN_EXECUTE;
}

static enum rfs_then stops_stepped(struct rfs_run *run, struct rfs_thread *t)
{
	enum rfs_then then = t->parks_after_step ? rfs_word_locks_stepped(run, t) : rfs_watchdog_stepped(run, t);

	if (then)
		return then;
	rfs_gdb_stepped(run, t);
	return run->ended ? RFS_THEN_END : RFS_THEN_EXECUTE;
}

static enum rfs_then stops_watchpoint(struct rfs_run *run, struct rfs_thread *t)
{
	rfs_gdb_watched(run, t);
	return run->ended ? RFS_THEN_END : RFS_THEN_EXECUTE;
}

/*
 * Calls the handler for the stop of a controlled thread. records: the stub records of the thread since the last stop.
 */
static enum rfs_then meaning(struct rfs_run *run, struct rfs_thread *t, const struct rfs_stop *stop,
			     const struct rfs_stub_record *records, size_t n_records)
{
	switch (stop->kind) {
	case RFS_STOP_NEW:
		return embryo(run, t);
	case RFS_STOP_CLONE:
	case RFS_STOP_FORK:
	case RFS_STOP_VFORK:
		return cloned(run, t, stop);
	case RFS_STOP_BREAKPOINT:
		return breakpoint(run, t, stop);
	case RFS_STOP_SYSCALL:
		return system_call(run, t, stop);
	case RFS_STOP_SYSCALL_EXIT:
		return rfs_syscall_exit(run, t);
	case RFS_STOP_RDTSC:
		rfs_rdtsc(run, t->task, t);
		return RFS_THEN_EXECUTE;
	case RFS_STOP_CPUID:
		rfs_cpuid(run, t->task);
		return RFS_THEN_EXECUTE;
	case RFS_STOP_RECORDS:
		if (rfs_signal_segv_action(run))
			(void)!rfs_stub_buffer_repair(t->task, rfs_signal_segv_action(run));
		return rfs_watchdog_records(run, t, records, n_records);
	case RFS_STOP_INSIDE:
		rfs_stubs_learn(run, t->task, stop->address);
		return RFS_THEN_EXECUTE;
	case RFS_STOP_SIGNAL:
		return signalled(run, t, stop);
	case RFS_STOP_GROUP:
		return group_stopped(run, t);
	case RFS_STOP_EXITING:
		exiting(run, t, t->syscall == SYS_exit);
		return RFS_THEN_PARKED;
	case RFS_STOP_EXITED:
	case RFS_STOP_KILLED:
		gone(run, t, stop);
		return RFS_THEN_PARKED;
	case RFS_STOP_INTERRUPT:
		return interrupted(run, t);
	case RFS_STOP_VFORK_DONE:
		return rfs_park(run, t, rfs_op_make(RFS_OP_SYSCALL, 0, 0), rfs_ready_always, stops_go_to_exit);
	case RFS_STOP_WATCH:
		return stops_watchpoint(run, t);
	case RFS_STOP_STEP:
		return stops_stepped(run, t);
	case RFS_STOP_NONE:
	case RFS_STOP_EXEC:
		break;
	}
	return RFS_THEN_EXECUTE;
}

void rfs_handle_stop(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_thread *t = rfs_task_data(stop->task);
	const struct rfs_stub_record *records = NULL;
	enum rfs_then then;
	size_t n_records;
	bool ours;

	rfs_target_memory_forget(run);
	if (!rfs_tracer_pid(run->tracer) && !rfs_follow_begins(run, stop)) {
		resume_foreign(run, stop);
		return;
	}
	ours = rfs_task_pid(stop->task) == rfs_tracer_pid(run->tracer);
	n_records = rfs_stub_drain(run, stop->task, t && t->task == stop->task ? t : NULL, &records);
	if (stop->kind == RFS_STOP_EXEC && ours) {
		then = exec_done(run, stop);
		t = rfs_task_data(stop->task);
	} else {
		if (!t && ours && stop->kind == RFS_STOP_NEW)
			t = new_thread(run, stop->task, NULL);
		if (!t || t->task != stop->task) {
			resume_foreign(run, stop);
			return;
		}
		rfs_word_locks_look(run, t);
		t->at_syscall = stop->kind == RFS_STOP_SYSCALL;
		then = rfs_stores_stopped(run, t, stop);
		if (!then)
			then = meaning(run, t, stop, records, n_records);
	}
	then = rfs_resume(run, t, then);
	rfs_stores_hide(run, t);
	rfs_watchdog_after_stop(run, t, then);
}
