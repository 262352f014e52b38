/* kernel_run.c - a stepped run whose threads make system calls. */
#include "tests/supervisor/kernel/kernel_run.h"

#include <criterion/criterion.h>

#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/kernel/syscalls.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/tracer.h"

static void kernel_run_begin(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->tid = thread->sync.tid = rfs_pids_add(run, rfs_task_tid(thread->task));
	rfs_kernel_thread_init(thread);
}

static enum rfs_then kernel_run_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	if (stop->kind == RFS_STOP_SYSCALL_EXIT)
		return rfs_syscall_exit(run, thread);
	cr_assert_eq(stop->kind, RFS_STOP_SYSCALL, "stop %d", (int)stop->kind);
	return rfs_syscall_enter(run, thread, stop);
}

static void kernel_run_close(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		rfs_kernel_thread_release(run->threads[i]);
	rfs_kernel_release(run);
}

void kernel_open(const struct fake_step *const *scripts, size_t n)
{
	static const struct step_room room = {rfs_kernel_init, kernel_run_begin, kernel_run_stopped, kernel_run_close};

	step_open(scripts, n, &room);
}
