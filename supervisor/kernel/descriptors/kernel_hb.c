/*
 * kernel_hb.c - reports happens-before edges through the kernel to detectors: data and signals that one thread of the
 * target sends to another (channel.h).
 *
 * A write sends its message before the kernel has the data, because a reader may continue while the writer still waits
 * for room. A read receives the message at its exit. Two threads that open the two ends of a FIFO wait for each other:
 * each sends a message before its open and receives one after it. File locks send no messages.
 *
 * In a run with several processes (family.h), all that they tell each other in another way than by data is one message.
 */
#include "supervisor/kernel/descriptors/kernel_hb.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/channel.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"

static void kernel_hb_receive(struct rfs_run *run, struct rfs_thread *thread, uint64_t channel)
{
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_CHANNEL, channel));
}

static void send_to(struct rfs_run *run, struct rfs_thread *thread, uint64_t channel)
{
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_CHANNEL, channel));
}

enum rfs_then rfs_sys_epoll_ctl(struct rfs_run *run, struct rfs_thread *thread)
{
	send_to(run, thread, rfs_channel_by_number((int)thread->args[0]));
	return RFS_THEN_UNDECIDED;
}

/*
 * If rfsup does not know the channel of a call, it uses the one message that all processes have in common. Data for the
 * outside, or from there, gives no order.
 */
static void begin_in_family(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_call_state *call = thread->call;
	const enum rfs_syscall_waits waits = call->row->waits;

	call->in_family = rfs_family_any(run) && !call->from_outside &&
			  (waits == RFS_WAITS_READ || waits == RFS_WAITS_WRITE || waits == RFS_WAITS_MOVE);
	if (call->in_family && waits != RFS_WAITS_READ && !call->channel_out)
		rfs_kernel_hb_tells(run, thread);
}

void rfs_kernel_hb_begin(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_syscall *row = thread->call->row;
	struct rfs_call_state *call = thread->call;
	bool write = row->waits == RFS_WAITS_WRITE;

	call->channel = call->channel_out = 0;
	if (!run->spec->detector)
		return;
	if (row->waits == RFS_WAITS_EPOLL) {
		call->channel = rfs_channel_by_number((int)thread->args[0]);
		return;
	}
	if (row->flags & RFS_CALL_MEETS) {
		call->channel = call->channel_out = rfs_channel_of_opens();
	} else {
		if (call->fd >= 0 && write)
			call->channel_out = rfs_channel_of(call->fd, true);
		else if (call->fd >= 0)
			call->channel = rfs_channel_of(call->fd, false);
		if (call->fd_out >= 0)
			call->channel_out = rfs_channel_of(call->fd_out, true);
	}
	if (call->channel_out)
		send_to(run, thread, call->channel_out);
	begin_in_family(run, thread);
}

void rfs_kernel_hb_end(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	struct rfs_call_state *call = thread->call;
	bool opened = call->channel && call->channel == call->channel_out && result >= 0;

	if (call->channel && (result > 0 || opened)) {
		kernel_hb_receive(run, thread, call->channel);
		if (call->channel_out && !opened) /* splice read the data and wrote it to the second channel */
			send_to(run, thread, call->channel_out);
	}
	/* the end of the data says that the other end was closed */
	if (call->in_family && call->row->waits != RFS_WAITS_WRITE && (!call->channel || result == 0))
		rfs_kernel_hb_hears(run, thread);
	call->channel = call->channel_out = 0;
	call->in_family = false;
}

void rfs_kernel_hb_replayed(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	if (thread->call->row->waits != RFS_WAITS_EPOLL)
		return;
	rfs_kernel_hb_begin(run, thread);
	rfs_kernel_hb_end(run, thread, result);
}

/*
 * The message of a signal to one thread. If `to` is NULL, the signal is for the process, and any thread that does not
 * block the signal may take it.
 */
static uint64_t kill_message(const struct rfs_thread *to, int signo)
{
	return rfs_message(RFS_MESSAGE_KILL, (to ? (uint64_t)to->number + 1 : 0) << 8 | (uint64_t)signo);
}

void rfs_signal_sent(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *to, int signo)
{
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, kill_message(to, signo));
}

void rfs_signal_received(struct rfs_run *run, struct rfs_thread *thread, int signo)
{
	/* a handler takes the signals of the thread that it interrupts */
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE,
		      kill_message(thread->handler.on ? thread->handler.on : thread, signo));
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, kill_message(NULL, signo));
}

void rfs_kernel_hb_tells(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_FAMILY, 0));
}

void rfs_kernel_hb_hears(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_FAMILY, 0));
}

/* Whether no process learns anything of another one by the call. The model knows what futex calls say. */
static bool says_nothing(long number, const unsigned long *args)
{
	switch (number) {
	case SYS_futex:
	case SYS_sched_yield:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_clock_gettime:
	case SYS_gettimeofday:
	case SYS_time:
	case SYS_getpid:
	case SYS_gettid:
	case SYS_getppid:
	case SYS_getpgrp:
	case SYS_getrandom:
	case SYS_getrusage:
	case SYS_times:
	case SYS_munmap:
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_set_robust_list:
	case SYS_rt_sigaction:
	case SYS_rt_sigprocmask:
	case SYS_rt_sigreturn:
	case SYS_signalfd:
	case SYS_signalfd4:
	case SYS_setitimer:
	case SYS_alarm:
	case SYS_epoll_ctl:
	case SYS_getsockname:
	case SYS_getpeername:
	case SYS_getsockopt:
	case SYS_exit:
	case SYS_exit_group:
		return true;
	case SYS_fcntl:
		return args[1] == F_GETFL || args[1] == F_SETFL || args[1] == F_GETFD || args[1] == F_SETFD;
	case SYS_ioctl:
		return args[1] == FIONBIO || args[1] == FIOCLEX || args[1] == FIONCLEX;
	default:
		return false;
	}
}

/* Whether the call only looks at something that another process may have changed. */
static bool only_hears(long number, const struct rfs_syscall *row, const unsigned long *args)
{
	switch (number) {
	case SYS_wait4:
	case SYS_waitid:
	case SYS_stat:
	case SYS_lstat:
	case SYS_newfstatat:
	case SYS_statx:
	case SYS_access:
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_readlink:
	case SYS_readlinkat:
	case SYS_getdents64:
		return true;
	case SYS_open:
	case SYS_openat:
		return !(args[row->how] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC));
	default:
		return row->waits == RFS_WAITS_READ || row->waits == RFS_WAITS_SIGNAL;
	}
}

/* Whether rfs_kernel_hb_begin() and rfs_kernel_hb_end() know what the call says: it may wait for a descriptor. */
static bool is_in_channels(struct rfs_run *run, const struct rfs_syscall *row, const unsigned long *args)
{
	int fd;

	switch (row->waits) {
	case RFS_WAITS_POLL:
	case RFS_WAITS_SELECT:
	case RFS_WAITS_EPOLL:
	case RFS_WAITS_MOVE:
		return true;
	case RFS_WAITS_READ:
	case RFS_WAITS_WRITE:
		fd = rfs_fd_duplicate_waiting(run, (int)args[0]);
		if (fd >= 0)
			close(fd);
		return fd >= 0;
	default:
		return false;
	}
}

void rfs_kernel_hb_family(struct rfs_run *run, struct rfs_thread *thread, long number, const struct rfs_syscall *row,
			  const unsigned long *args, bool at_exit)
{
	if (!run->stream || says_nothing(number, args) || is_in_channels(run, row, args))
		return;
	if (row->waits != RFS_WAITS_WRITE)
		rfs_kernel_hb_hears(run, thread);
	if (!at_exit && !only_hears(number, row, args))
		rfs_kernel_hb_tells(run, thread);
}
