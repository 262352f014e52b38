/* stops.c - finds out what each stop of a task means for the run, and calls its handler. */
#include "supervisor/run/stops/stops.h"

#include <sys/syscall.h>

#include "supervisor/access/access.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/generated_code.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/gdb/gdb_pages.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/ids/virtual_hardware.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/syscalls.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/stops/child_stops.h"
#include "supervisor/run/stops/exec_done.h"
#include "supervisor/run/stops/family_stops.h"
#include "supervisor/run/stops/follow_run.h"
#include "supervisor/run/stops/handlers.h"
#include "supervisor/run/stops/loaded_modules.h"
#include "supervisor/run/stops/resume.h"
#include "supervisor/run/stops/signal_stops.h"
#include "supervisor/run/stops/stub_drain.h"
#include "supervisor/run/stops/thread_begins.h"
#include "supervisor/run/stops/thread_ends.h"
#include "supervisor/run/stops/watchdog.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/unsafe_calls.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/before_main.h"
#include "supervisor/sync/pthread_calls.h"
#include "supervisor/sync/pthread_cond.h"
#include "tracer/breakpoint.h"
#include "tracer/closed_code.h"
#include "tracer/loader.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"
#include "tracer/trampoline.h"

static enum rfs_then generated_code(struct rfs_run *run, struct rfs_thread *thread, struct rfs_breakpoint *breakpoint)
{
	if (rfs_signal_segv_action(run))
		(void)!rfs_stub_buffer_repair(thread->task, rfs_signal_segv_action(run));
	return rfs_generated_hit(run, thread, breakpoint);
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
		rfs_loaded_modules_update(run, thread);
		return RFS_THEN_EXECUTE;
	}
	if (stop->breakpoint && rfs_breakpoint_is_fault(stop->breakpoint))
		return generated_code(run, thread, stop->breakpoint);
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
	if (!rfs_stop_is_64_bit(stop)) {
		rfs_run_uncontrolled(run,
				     "the program made a 32-bit or x32 system call (%ld), which rfsup cannot control",
				     stop->number);
		return RFS_THEN_END;
	}
	if (stop->number == SYS_rt_sigreturn) {
		if (thread->handler.on)
			(void)rfs_handler_ends(run, thread);
		return RFS_THEN_EXECUTE;
	}
	if (rfs_handlers_before_call(run, thread, stop->number))
		return RFS_THEN_EXECUTE;
	return rfs_syscall_enter(run, thread, stop);
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
	enum rfs_then then;

	if (t->handler.follows)
		return RFS_THEN_EXECUTE;
	then = t->contention.parks_after_step ? rfs_word_locks_stepped(run, t) : rfs_watchdog_stepped(run, t);

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
		return rfs_thread_begins(run, t);
	case RFS_STOP_CLONE:
	case RFS_STOP_FORK:
	case RFS_STOP_VFORK:
		return rfs_thread_clones(run, t, stop);
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
		return rfs_signal_stopped(run, t, stop);
	case RFS_STOP_GROUP:
		return group_stopped(run, t);
	case RFS_STOP_EXITING:
		rfs_thread_exits(run, t, t->syscall == SYS_exit);
		return RFS_THEN_PARKED;
	case RFS_STOP_EXITED:
	case RFS_STOP_KILLED:
		rfs_thread_gone(run, t, stop);
		return RFS_THEN_PARKED;
	case RFS_STOP_INTERRUPT:
		return interrupted(run, t);
	case RFS_STOP_VFORK_DONE:
		return rfs_thread_vfork_done(run, t);
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

/* Handles the stop of a controlled thread. *t becomes the thread or handler that the task executes afterwards. */
static enum rfs_then of_thread(struct rfs_run *run, struct rfs_thread **t, const struct rfs_stop *stop,
			       const struct rfs_stub_record *records, size_t n_records)
{
	struct rfs_thread *thread;
	enum rfs_then then;

	rfs_handler_looks(run, *t, stop);
	thread = *t = rfs_task_data(stop->task);
	rfs_family_turn(run, thread);
	rfs_gdb_stops(run, thread);
	rfs_word_locks_look(run, thread);
	thread->at_syscall = stop->kind == RFS_STOP_SYSCALL;
	then = rfs_stores_stopped(run, thread, stop);
	if (!then && thread->process)
		then = rfs_family_stopped(run, thread, stop);
	if (!then)
		then = meaning(run, thread, stop, records, n_records);
	if (run->stream && run->main_reached && !thread->process && rfs_signal_is_caught(run) &&
	    !rfs_unsafe_calls_noted(run))
		rfs_pthread_watch_handlers(run, thread);
	if (run->armed && !thread->process)
		rfs_handlers_make(run, thread);
	if (stop->kind != RFS_STOP_EXITED && stop->kind != RFS_STOP_KILLED)
		rfs_generated_close(run, stop->task);
	/* a handler may have begun or ended; a task that has exited was freed */
	if (stop->kind != RFS_STOP_EXITED && stop->kind != RFS_STOP_KILLED && rfs_task_data(stop->task))
		*t = rfs_task_data(stop->task);
	return then;
}

void rfs_handle_stop(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_thread *t = rfs_task_data(stop->task);
	const struct rfs_stub_record *records = NULL;
	enum rfs_then then;
	size_t n_records;
	bool ours;

	rfs_target_memory_forget(run);
	rfs_aliases_stop(run, rfs_task_tid(stop->task));
	if (!rfs_tracer_pid(run->tracer) && !rfs_follow_begins(run, stop)) {
		rfs_child_stopped(run, stop);
		return;
	}
	ours = rfs_task_pid(stop->task) == rfs_tracer_pid(run->tracer);
	n_records = rfs_stub_drain(run, stop->task, t && t->task == stop->task ? t : NULL, &records);
	if (stop->kind == RFS_STOP_EXEC && ours) {
		then = rfs_exec_done(run, stop);
		t = rfs_task_data(stop->task);
	} else {
		if (!t && ours && stop->kind == RFS_STOP_NEW)
			t = rfs_thread_seen(run, stop->task, NULL);
		if (!t || t->task != stop->task) {
			rfs_child_stopped(run, stop);
			return;
		}
		then = rfs_gdb_pages_stopped(run, t, stop);
		if (then == RFS_THEN_PARKED)
			return;
		if (!then)
			then = of_thread(run, &t, stop, records, n_records);
	}
	then = rfs_resume(run, t, then);
	rfs_stores_hide(run, t);
	rfs_watchdog_after_stop(run, t, then);
	rfs_family_turn(run, NULL);
}
