/* wait_arguments.c - the timeout and the signal mask in the arguments of a call that waits. */
#include "supervisor/kernel/core/wait_arguments.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

#include "disasm/addr.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "tracer/tracer.h"

/* What a call returns that a signal interrupts, before the kernel makes EINTR of it (linux/errno.h of Linux). */
#define ERESTARTNOHAND 514

bool rfs_poll_mask(struct rfs_run *run, const struct rfs_thread *thread, unsigned long *mask)
{
	const struct rfs_syscall *row = thread->call->row;
	rfs_addr at = row->mask ? thread->args[row->mask] : 0;

	if (at && (row->flags & RFS_CALL_MASK_IN_PAIR) && !rfs_peek(run, at, &at, sizeof(at)))
		at = 0;
	return at && rfs_peek(run, at, mask, sizeof(*mask));
}

void rfs_timeout_argument_set(struct rfs_task *task, int argument, uint64_t value)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(task);

	switch (argument) {
	case 2:
		regs->rdx = value;
		break;
	case 3:
		regs->r10 = value;
		break;
	default:
		regs->r8 = value;
		break;
	}
}

void rfs_poll_set_timeout(struct rfs_thread *thread, uint64_t value)
{
	rfs_timeout_argument_set(thread->task, thread->call->row->timeout, value);
}

void rfs_poll_left(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_syscall *row = thread->call->row;
	const uint64_t left = thread->call->due > run->time.now ? thread->call->due - run->time.now : 0;
	const uint64_t unit = row->timeout_as == RFS_TIMEOUT_TIMEVAL ? 1000 : 1;
	const int64_t t[2] = {(int64_t)(left / RFS_NANOS), (int64_t)(left % RFS_NANOS / unit)};

	if (!(row->flags & RFS_CALL_TIME_LEFT) || !thread->args[row->timeout] || thread->call->due == RFS_NEVER)
		return;
	(void)rfs_poke(run, thread->args[row->timeout], t, sizeof(t));
}

void rfs_poll_restore(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_syscall *row = thread->call->row;
	const long result = (long)rfs_task_regs(thread->task)->rax;

	if (!row->timeout)
		return;
	rfs_poll_set_timeout(thread, thread->args[row->timeout]);
	if (result >= 0 || result == -EINTR || result == -ERESTARTNOHAND)
		rfs_poll_left(run, thread);
}

bool rfs_poll_is_interrupted(const struct rfs_thread *thread)
{
	return (long)rfs_task_regs(thread->task)->rax == -ERESTARTNOHAND;
}

bool rfs_poll_is_again(const struct rfs_thread *thread, long result)
{
	return thread->call->retry && result == 0 && (thread->call->row->flags & RFS_CALL_IS_REPEATED);
}

void rfs_sleep_left(struct rfs_run *run, const struct rfs_thread *thread)
{
	const bool of_clock = thread->syscall == SYS_clock_nanosleep;
	const rfs_addr to = thread->args[of_clock ? 3 : 1];
	const uint64_t left = thread->deadline > run->time.now ? thread->deadline - run->time.now : 0;
	const struct timespec t = {(time_t)(left / RFS_NANOS), (long)(left % RFS_NANOS)};

	if (to && !(of_clock && (thread->args[1] & TIMER_ABSTIME)))
		(void)rfs_poke(run, to, &t, sizeof(t));
}
