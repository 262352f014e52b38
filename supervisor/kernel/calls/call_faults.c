/*
 * call_faults.c - says at a call which fault may happen, and carries it out. state/operations/faults.c decides
 * whether.
 */
#include "supervisor/kernel/calls/call_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/text/syscall_name.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/core/wait_arguments.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/record/fault.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

#define SIZE 2 /* the argument of RFS_DATA_BYTES with the size */

static bool is_interruptible(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long blocked;

	if (!rfs_poll_mask(run, thread, &blocked) && rfs_task_blocked_signals(thread->task, &blocked) != 0)
		return false;
	return rfs_signal_interrupts(run, blocked);
}

/* Half of the bytes; of a pipe, at least PIPE_BUF. 0: the call moves all of them. fd: our duplicate. */
static unsigned long shorter(const struct rfs_thread *thread, int fd)
{
	const struct rfs_syscall *row = thread->call->row;
	const unsigned long size = thread->args[SIZE], half = size / 2;
	int type = 0;
	struct stat st;
	socklen_t n = sizeof(type);

	if (row->data != RFS_DATA_BYTES || size < 2 || fd < 0 || fstat(fd, &st) != 0)
		return 0;
	if (row->how && (thread->args[row->how] & (MSG_WAITALL | MSG_PEEK | MSG_TRUNC)))
		return 0;
	if (S_ISREG(st.st_mode))
		return fcntl(fd, F_GETFL) & O_DIRECT ? 0 : half;
	if (S_ISFIFO(st.st_mode))
		return size <= PIPE_BUF ? 0 : half > PIPE_BUF ? half : PIPE_BUF;
	if (S_ISSOCK(st.st_mode) && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0)
		return type == SOCK_STREAM ? half : 0;
	return 0;
}

static unsigned offer(struct rfs_run *run, struct rfs_thread *thread, bool interrupted, bool shortened)
{
	const bool sleeps = thread->call->row->waits == RFS_WAITS_TIME;
	const unsigned set = (interrupted ? 1u << RFS_FAULT_EINTR : 0) | (shortened ? 1u << RFS_FAULT_SHORT : 0) |
			     (sleeps ? 1u << RFS_FAULT_LATE : 0);

	return set ? rfs_fault_offer_any(run, thread, set, rfs_task_regs(thread->task)->rip) : 0;
}

unsigned rfs_call_fault_offer(struct rfs_run *run, struct rfs_thread *thread, bool at_once)
{
	const bool interrupted = rfs_faults_possible(run, RFS_FAULT_EINTR) && !at_once && is_interruptible(run, thread);
	const bool shortened = rfs_faults_possible(run, RFS_FAULT_SHORT) && shorter(thread, thread->call->fd) &&
			       (at_once || thread->call->row->waits == RFS_WAITS_READ || is_interruptible(run, thread));

	return offer(run, thread, interrupted, shortened);
}

unsigned rfs_call_fault_of_file(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned access = 0;
	int fd;

	if (!rfs_faults_possible(run, RFS_FAULT_SHORT) || thread->call->row->data != RFS_DATA_BYTES)
		return 0;
	fd = rfs_fd_duplicate(run, (int)thread->args[0]);
	if (fd < 0)
		return 0;
	access = offer(run, thread, false, shorter(thread, fd) > 0);
	if (access)
		thread->call->fd = fd;
	else
		close(fd);
	return access;
}

static void call_faults_shorten(struct rfs_run *run, struct rfs_thread *thread)
{
	const unsigned long size = shorter(thread, thread->call->fd);
	char effect[80], name[64];

	if (!size)
		return;
	snprintf(effect, sizeof(effect), "moved at most %lu of %lu bytes", size, thread->args[SIZE]);
	rfs_syscall_name(thread->syscall, name, sizeof(name));
	rfs_fault_happened(run, thread, name, effect);
	thread->call->shortened = thread->args[SIZE];
	thread->args[SIZE] = size;
	rfs_task_regs_mut(thread->task)->rdx = size;
}

bool rfs_call_fault(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice,
		    enum rfs_then *then)
{
	enum rfs_fault fault;
	char name[64];

	if (choice->outcome != RFS_OUTCOME_FAULT || !rfs_fault_of(thread->next.access, &fault))
		return false;
	if (fault == RFS_FAULT_SHORT)
		call_faults_shorten(run, thread);
	if (fault != RFS_FAULT_EINTR)
		return false;
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_syscall_name(thread->syscall, name, sizeof(name));
	rfs_fault_happened(run, thread, name, "failed with EINTR");
	if (thread->next.kind == RFS_OP_SLEEP)
		rfs_sleep_left(run, thread);
	else
		rfs_poll_left(run, thread);
	rfs_call_drop_fds(thread);
	*then = rfs_syscall_answer(thread, -EINTR);
	return true;
}
