/*
 * blocking.c - system calls that may wait for another thread or for the outside world.
 *
 * A call on a regular file just runs. A call on a pipe, socket, eventfd or terminal is a visible operation. It is
 * enabled when a poll without a timeout, on our duplicate of the descriptor, says that the call would not wait.
 *
 * Other calls enter the kernel and stop at their exit, before any user code runs. These are calls that poll(2) cannot
 * describe (file locks, children, opens of FIFOs), and writes of more data than a poll promises room for. rfsup never
 * interrupts a thread in the kernel; it only waits for the thread.
 *
 * A thread's wait in the kernel may end because another thread reads from the full pipe, opens the other end, or
 * unlocks the file. The kernel then wakes the sleeper during the other thread's call. Before the other thread
 * continues, and before any choice, rfsup waits until all sleepers are at their exits or asleep again. So only the
 * schedule determines when they return.
 */
#include "supervisor/kernel/calls/blocking.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/kernel/calls/fifo.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/descriptors/loopback.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/ids/translate.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"

enum rfs_then rfs_go_syscall(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	enum rfs_then then;
	long result;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	then = rfs_input_answer(run, thread);
	if (then)
		return then;
	if (thread->syscall == SYS_read && rfs_timers_read(run, thread, thread->call->fd, &result)) {
		rfs_call_drop_fds(thread);
		return rfs_syscall_answer(thread, result);
	}
	rfs_kernel_hb_begin(run, thread);
	(void)rfs_syscall_translate(run, thread->task, thread->call->row, thread->args);
	rfs_call_drop_fds(thread);
	return RFS_THEN_STOP_AT_EXIT;
}

enum rfs_then rfs_go_kernel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	/* a task that runs or sleeps in the kernel does not show its registers */
	thread->n_stack = rfs_thread_stack(thread, thread->stack, sizeof(thread->stack) / sizeof(*thread->stack));
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_input_wait(run, thread))
		return RFS_THEN_PARKED;
	rfs_kernel_hb_begin(run, thread);
	rfs_call_drop_fds(thread);
	(void)rfs_syscall_translate(run, thread->task, thread->call->row, thread->args);
	return RFS_THEN_SLEEP;
}

void rfs_blocking_push(struct rfs_run *run, const struct rfs_thread *thread)
{
	int fd = rfs_fd_duplicate(run, (int)thread->args[thread->call->row->to]);

	if (fd < 0)
		return;
	rfs_loopback_push(fd);
	close(fd);
}

/*
 * Locks on parts of a file. F_SETLK never waits, but it is an operation too, because its result depends on the
 * schedule.
 */
enum rfs_then rfs_sys_fcntl(struct rfs_run *run, struct rfs_thread *thread)
{
	switch ((int)thread->args[1]) {
	case F_SETLKW:
	case F_OFD_SETLKW:
		return rfs_park(run, thread, thread->next, rfs_ready_always, rfs_go_kernel);
	case F_SETLK:
	case F_OFD_SETLK:
		return rfs_park(run, thread, thread->next, rfs_ready_always, rfs_go_syscall);
	default:
		return RFS_THEN_UNDECIDED;
	}
}

/*
 * An open of a FIFO waits until the other end is opened, unless the open is nonblocking or opens both ends itself
 * (fifo(7)).
 */
enum rfs_then rfs_sys_open(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long flags;
	bool waits;

	if (!rfs_opens_fifo(run, thread, &flags))
		return RFS_THEN_UNDECIDED;
	waits = !(flags & O_NONBLOCK) && (flags & O_ACCMODE) != O_RDWR;
	return rfs_park(run, thread, thread->next, rfs_ready_always, waits ? rfs_go_kernel : rfs_go_syscall);
}

enum rfs_then rfs_sys_connect(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->call->fd = rfs_fd_duplicate(run, (int)thread->args[0]);
	(void)rfs_loopback_sends(run, thread->call->fd);
	rfs_input_consider(run, thread, thread->call->fd);
	return rfs_sys_block(run, thread);
}

enum rfs_then rfs_sys_block(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_park(run, thread, thread->next, rfs_ready_always, rfs_go_kernel);
}

bool rfs_blocking_any(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t->state == RFS_STATE_PARKED && t->next.kind == RFS_OP_SYSCALL)
			return true;
	}
	return false;
}

bool rfs_blocking_idle(struct rfs_run *run, int ms)
{
	for (int i = 0; i < ms; i++) {
		rfs_target_memory_forget(run);
		for (size_t k = 0; k < run->n_threads; k++) {
			struct rfs_thread *t = run->threads[k];

			rfs_family_turn(run, t);
			if (t->state == RFS_STATE_PARKED && (t->ready(run, t) & RFS_THREAD_ENABLED)) {
				rfs_family_turn(run, NULL);
				return true;
			}
		}
		rfs_family_turn(run, NULL);
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	return false;
}
