/*
 * child_stops.c - stops of the tasks of child processes. They have no struct rfs_thread: they are never scheduled, only
 * resumed.
 */
#include "supervisor/run/stops/child_stops.h"

#include <linux/audit.h>
#include <sys/syscall.h>

#include "supervisor/access/stubs.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/child_waits.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/ports.h"
#include "supervisor/kernel/ids/privileges.h"
#include "supervisor/kernel/ids/translate.h"
#include "supervisor/kernel/ids/virtual_hardware.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/kernel/refused.h"
#include "supervisor/kernel/signals/signal_calls.h"
#include "supervisor/kernel/signals/timer_calls.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/run/stops/child_turns.h"
#include "supervisor/run/stops/children.h"
#include "supervisor/run/stops/follow_run.h"
#include "supervisor/run/stops/processes.h"
#include "supervisor/run/stops/resume.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/sync/futex.h"
#include "tracer/tracer.h"

#define X32_BIT 0x40000000l

/* The table of system calls has only the numbers of 64-bit calls. */
bool rfs_stop_is_64_bit(const struct rfs_stop *stop)
{
	return stop->arch == AUDIT_ARCH_X86_64 && !(stop->number & X32_BIT);
}

bool rfs_child_calls(struct rfs_run *run, const struct rfs_stop *stop)
{
	struct rfs_task *task = stop->task;
	const struct rfs_syscall *row;
	long result;

	if (!rfs_stop_is_64_bit(stop)) {
		rfs_children_note_32_bit(run);
		return false;
	}
	row = rfs_syscall_row(stop->number);
	rfs_signal_note_kill(run, row, stop->args);
	if (rfs_refused_child(run, task, stop->number))
		return false;
	if (!rfs_pids_answer(run, task, row->ids, &result) &&
	    !(stop->number == SYS_prctl && rfs_privileges_answer(run, task, stop->args, &result)))
		return rfs_syscall_translate(run, task, row, stop->args);
	rfs_task_answer_syscall(task, result);
	return false;
}

void rfs_child_call_ends(struct rfs_run *run, struct rfs_task *task)
{
	rfs_pids_end(run, task);
	rfs_ports_end(run, task);
}

/*
 * Handles the stop of a task of a child process. Its calls that involve ids or ports are answered or translated like
 * the target's own calls. counts: choices wait for the task, so that its clocks and time limits are virtual. Returns
 * how to resume the task.
 */
static enum rfs_resume child_call(struct rfs_run *run, const struct rfs_stop *stop, bool counts)
{
	struct rfs_task *task = stop->task;
	bool in_call = false;
	long result;

	switch (stop->kind) {
	case RFS_STOP_SYSCALL:
		if (counts && rfs_stop_is_64_bit(stop) &&
		    (rfs_child_reads_clock(run, stop, &result) || rfs_timers_answer(run, stop, &result))) {
			rfs_task_answer_syscall(task, result);
			break;
		}
		if (rfs_stop_is_64_bit(stop) &&
		    rfs_nondet_foreign(run, task, rfs_syscall_row(stop->number), stop->args) &&
		    !rfs_processes_serves(run, task))
			rfs_nondet_unrecorded(run);
		in_call = rfs_child_calls(run, stop);
		if (counts && rfs_stop_is_64_bit(stop) &&
		    (rfs_child_waits_enter(run, stop) || rfs_syscall_row(stop->number)->waits != RFS_WAITS_NOT))
			in_call = true; /* if another process ends the wait, the task does not go on at once */
		break;
	case RFS_STOP_SYSCALL_EXIT:
		rfs_child_call_ends(run, task);
		rfs_child_waits_exit(run, task);
		rfs_processes_left(run, task);
		break;
	case RFS_STOP_CLONE:
	case RFS_STOP_FORK:
	case RFS_STOP_VFORK:
		rfs_children_note_thread(run, stop);
		rfs_children_vfork(run, stop);
		if (stop->child) {
			rfs_pids_born(run, task, stop->child);
			/* count the child now, because its first stop may come later */
			rfs_children_seen(run, stop->child);
			rfs_processes_forked(run, stop);
		}
		in_call = true;
		break;
	case RFS_STOP_VFORK_DONE:
		rfs_children_vfork(run, stop);
		in_call = rfs_pids_in_call(run, task);
		break;
	case RFS_STOP_EXEC:
		rfs_processes_executed(run, task);
		rfs_timers_executed(run, rfs_task_pid(task));
		break;
	case RFS_STOP_NEW:
		rfs_pids_started(run, task);
		rfs_tsc_insns_trap(run, task);
		break;
	case RFS_STOP_SIGNAL:
		(void)rfs_timers_signal(run, task, &stop->info);
		rfs_child_waits_signal(run, task, stop->info.si_signo);
		break;
	case RFS_STOP_EXITING:
		rfs_processes_ending(run, task);
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

void rfs_child_stopped(struct rfs_run *run, const struct rfs_stop *stop)
{
	int signo = stop->kind == RFS_STOP_SIGNAL ? stop->info.si_signo : 0;
	enum rfs_resume how;
	bool counts;

	if (stop->kind == RFS_STOP_EXITED || stop->kind == RFS_STOP_KILLED) {
		rfs_children_gone(run, stop->task);
		rfs_child_waits_gone(run, stop->task);
		rfs_follow_ended(run, stop);
		if (rfs_task_tid(stop->task) == rfs_task_pid(stop->task)) {
			rfs_processes_gone(run, rfs_task_pid(stop->task));
			rfs_timers_ended(run, rfs_task_pid(stop->task));
		}
		rfs_pids_gone(run, rfs_task_tid(stop->task));
		rfs_task_forget(stop->task);
		return;
	}
	counts = rfs_children_seen(run, stop->task);
	if (stop->kind == RFS_STOP_INSIDE)
		rfs_stubs_learn(run, stop->task, stop->address);
	how = stop->kind == RFS_STOP_GROUP ? RFS_RESUME_LISTEN : child_call(run, stop, counts);
	/* another thread of the process, which has its turn, waits for this end: it exits, or executes a program */
	if (stop->kind == RFS_STOP_EXITING && rfs_child_has_others(run, stop->task))
		(void)rfs_resume_beside(stop->task, how, signo);
	else
		rfs_child_turns_resume(run, stop->task, how, signo);
}
