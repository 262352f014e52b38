/*
 * stream_calls.c - reads, writes, and calls that move data between two descriptors.
 *
 * These calls are visible operations if they may wait. Otherwise they simply run.
 */
#include "supervisor/kernel/calls/stream_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/kernel/calls/blocking.h"
#include "supervisor/kernel/calls/call_faults.h"
#include "supervisor/kernel/calls/random_calls.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/input_fd.h"
#include "supervisor/kernel/descriptors/loopback.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/kernel/signals/signal_fd.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/program_output.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/trace.h"

/* /dev/random and /dev/urandom: mem(4) devices 8 and 9. */
static bool is_random(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == 1 &&
	       (minor(st.st_rdev) == 8 || minor(st.st_rdev) == 9);
}

static unsigned ready_read(struct rfs_run *run, struct rfs_thread *thread)
{
	bool there = rfs_input_ready(run, thread, rfs_fd_finds(run, thread, thread->call->fd, POLLIN));

	return rfs_timers_ready(run, there, there ? RFS_NEVER : thread->deadline, true);
}

/* The timeout of SO_RCVTIMEO passes in virtual time (socket(7)). */
static void take_timeout(const struct rfs_run *run, struct rfs_thread *thread)
{
	struct timeval t;
	socklen_t size = sizeof(t);

	if (getsockopt(thread->call->fd, SOL_SOCKET, SO_RCVTIMEO, &t, &size) == 0 && (t.tv_sec || t.tv_usec))
		thread->deadline = run->time.now + (uint64_t)t.tv_sec * RFS_NANOS + (uint64_t)t.tv_usec * 1000;
}

/* The time limit of the call has passed. */
static enum rfs_then times_out(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice,
			       int error)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_call_drop_fds(thread);
	return rfs_syscall_answer(thread, -error);
}

static enum rfs_then stream_calls_go_read(struct rfs_run *run, struct rfs_thread *thread,
					  const struct rfs_choice *choice)
{
	enum rfs_then then;

	if (rfs_call_fault(run, thread, choice, &then))
		return then;
	return choice->outcome == RFS_OUTCOME_TIMED_OUT ? times_out(run, thread, choice, EAGAIN)
							: rfs_go_syscall(run, thread, choice);
}

static unsigned ready_write(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_input_ready(run, thread, rfs_fd_polls(thread->call->fd, POLLOUT)) ? RFS_THREAD_ENABLED : 0;
}

/*
 * Appends the pieces of memory that a struct msghdr of the target lists to the n pieces. Returns the new number of
 * pieces.
 */
static size_t message_pieces(struct rfs_run *run, const struct msghdr *message, struct iovec *pieces, size_t n)
{
	size_t more = message->msg_iovlen < UIO_MAXIOV - n ? message->msg_iovlen : UIO_MAXIOV - n;

	return more && rfs_peek(run, (rfs_addr)(uintptr_t)message->msg_iov, pieces + n, more * sizeof(*pieces))
		       ? n + more
		       : n;
}

/*
 * The thread's call will write data: stores where this data is in the target's memory. Returns the number of pieces, at
 * most UIO_MAXIOV.
 */
static size_t output_pieces(struct rfs_run *run, const struct rfs_thread *thread, struct iovec *pieces)
{
	const unsigned long *args = thread->args;
	struct mmsghdr message;
	size_t n = 0;

	switch (thread->call->row->data) {
	case RFS_DATA_BYTES:
		pieces[0] = (struct iovec){(void *)(uintptr_t)args[1], args[2]};
		return 1;
	case RFS_DATA_VECTOR:
		n = args[2] < UIO_MAXIOV ? args[2] : UIO_MAXIOV;
		return n && rfs_peek(run, args[1], pieces, n * sizeof(*pieces)) ? n : 0;
	case RFS_DATA_MESSAGE:
		return rfs_peek(run, args[1], &message.msg_hdr, sizeof(message.msg_hdr))
			       ? message_pieces(run, &message.msg_hdr, pieces, 0)
			       : 0;
	case RFS_DATA_MESSAGES:
		for (size_t i = 0; i < args[2] && n < UIO_MAXIOV; i++) {
			if (!rfs_peek(run, args[1] + i * sizeof(message), &message, sizeof(message)))
				break;
			n = message_pieces(run, &message.msg_hdr, pieces, n);
		}
		return n;
	case RFS_DATA_NONE:
		break;
	}
	return 0;
}

/* The program's output is part of the trace of a run. */
static void note_output(struct rfs_run *run, struct rfs_thread *thread)
{
	struct iovec pieces[UIO_MAXIOV];
	size_t n = output_pieces(run, thread, pieces);

	for (size_t i = 0; i < n; i++) {
		rfs_addr data = (rfs_addr)(uintptr_t)pieces[i].iov_base;

		rfs_trace_output(run, thread, data, pieces[i].iov_len);
		/* a report shows this text even if a test driver such as ctest reads it from a pipe */
		if (thread->args[0] == STDOUT_FILENO || thread->args[0] == STDERR_FILENO)
			rfs_program_output_add(run, data, pieces[i].iov_len);
		if (thread->args[0] == STDERR_FILENO)
			rfs_program_output_error(run, thread->number, data, pieces[i].iov_len);
	}
}

/*
 * Whether a write to a writable descriptor may write a part of the data and then have to wait.
 *
 * A pipe has room for pages, not for bytes (pipe(7)). The number of pages in use cannot be read, so only an empty pipe
 * is known to have room for its whole size. If a pipe is not empty, POLLOUT means one free page, which is PIPE_BUF
 * bytes. A writable stream socket also has room for at least PIPE_BUF bytes. For a terminal, POLLOUT means room for one
 * byte. For an eventfd, it means that 1 can be added to the counter (eventfd(2)). A number below 2^32 can then be added
 * too, unless there were 2^32 such writes without a read.
 */
static bool may_wait_inside(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct iovec pieces[UIO_MAXIOV];
	size_t n = output_pieces(run, thread, pieces);
	uint64_t size = 0, number = 0;
	struct stat st;
	int used = 0;

	for (size_t i = 0; i < n; i++)
		size += pieces[i].iov_len;
	if (thread->call->fd < 0 || fstat(thread->call->fd, &st) != 0)
		return true;
	if (S_ISCHR(st.st_mode))
		return size > 1;
	if ((st.st_mode & S_IFMT) == 0)
		return n && rfs_peek(run, (rfs_addr)(uintptr_t)pieces[0].iov_base, &number, sizeof(number)) &&
		       number > UINT32_MAX;
	if (S_ISFIFO(st.st_mode) && ioctl(thread->call->fd, FIONREAD, &used) == 0 && used == 0) {
		int room = fcntl(thread->call->fd, F_GETPIPE_SZ);

		return size > PIPE_BUF && size > (uint64_t)(room > 0 ? room : 0);
	}
	return size > PIPE_BUF;
}

static enum rfs_then stream_calls_go_write(struct rfs_run *run, struct rfs_thread *thread,
					   const struct rfs_choice *choice)
{
	enum rfs_then then;

	if (rfs_call_fault(run, thread, choice, &then))
		return then;
	return may_wait_inside(run, thread) ? rfs_go_kernel(run, thread, choice) : rfs_go_syscall(run, thread, choice);
}

/* The call does not wait. */
static enum rfs_then go_at_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	enum rfs_then then;

	return rfs_call_fault(run, thread, choice, &then) ? then : rfs_go_syscall(run, thread, choice);
}

/* A read or write of a regular file is an operation only if it may have a fault. */
static enum rfs_then file_call(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_op op = thread->next;

	op.object = thread->args[0];
	op.access = rfs_call_fault_of_file(run, thread);
	return op.access ? rfs_park(run, thread, op, rfs_ready_always, go_at_once) : RFS_THEN_UNDECIDED;
}

static enum rfs_then random_call(struct rfs_run *run, struct rfs_thread *thread)
{
	int fd = rfs_fd_duplicate(run, (int)thread->args[0]);
	bool random = fd >= 0 && is_random(fd);

	if (fd >= 0)
		close(fd);
	return random ? rfs_read_random(run, thread) : file_call(run, thread);
}

/* Whether the call never waits, because of a flag (MSG_DONTWAIT) or because the descriptor is nonblocking. */
static bool dont_wait(const struct rfs_thread *thread)
{
	const unsigned how = thread->call->row->how;

	return (how && (thread->args[how] & MSG_DONTWAIT)) || (fcntl(thread->call->fd, F_GETFL) & O_NONBLOCK);
}

enum rfs_then rfs_sys_read(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_call_state *call = thread->call;
	struct rfs_op op = thread->next;

	call->fd = rfs_fd_duplicate_waiting(run, (int)thread->args[0]);
	if (call->fd < 0)
		return random_call(run, thread);
	op.object = thread->args[0];
	call->retry = false;
	rfs_nondet_read(run, call->fd);
	rfs_input_consider(run, thread, call->fd);
	op.access = rfs_call_fault_offer(run, thread, dont_wait(thread));
	if (dont_wait(thread))
		return rfs_park(run, thread, op, rfs_ready_always, go_at_once);
	take_timeout(run, thread);
	return rfs_park(run, thread, op, ready_read, stream_calls_go_read);
}

static unsigned ready_queue(struct rfs_run *run, struct rfs_thread *thread)
{
	const bool there = rfs_fd_polls(thread->call->fd, thread->syscall == SYS_mq_timedsend ? POLLOUT : POLLIN);

	return rfs_ready_timed(run, there, there ? RFS_NEVER : thread->deadline);
}

static enum rfs_then go_queue(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	return choice->outcome == RFS_OUTCOME_TIMED_OUT ? times_out(run, thread, choice, ETIMEDOUT)
							: rfs_go_syscall(run, thread, choice);
}

/* A time limit is in virtual time, which the kernel does not know. */
enum rfs_then rfs_sys_queue(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_call_state *call = thread->call;

	if (!thread->args[4] || !rfs_deadline_from(run, thread->args[4], CLOCK_REALTIME, &thread->deadline))
		return rfs_sys_block(run, thread);
	call->fd = rfs_fd_duplicate(run, (int)thread->args[0]);
	if (call->fd < 0 || (fcntl(call->fd, F_GETFL) & O_NONBLOCK)) {
		rfs_call_drop_fds(thread);
		thread->deadline = RFS_NEVER;
		return rfs_sys_block(run, thread);
	}
	return rfs_park(run, thread, thread->next, ready_queue, go_queue);
}

enum rfs_then rfs_sys_write(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_call_state *call = thread->call;
	struct rfs_op op = thread->next;

	note_output(run, thread);
	call->fd = rfs_fd_duplicate_waiting(run, (int)thread->args[0]);
	if (call->fd < 0)
		return file_call(run, thread);
	call->inet = rfs_loopback_sends(run, call->fd);
	op.object = thread->args[0];
	call->retry = false;
	rfs_input_consider(run, thread, call->fd);
	op.access = rfs_call_fault_offer(run, thread, dont_wait(thread));
	if (dont_wait(thread))
		return rfs_park(run, thread, op, rfs_ready_always, go_at_once);
	return rfs_park(run, thread, op, ready_write, stream_calls_go_write);
}

static unsigned ready_move(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_call_state *call = thread->call;
	bool now = (call->fd < 0 || rfs_fd_polls(call->fd, POLLIN)) &&
		   (call->fd_out < 0 || rfs_fd_polls(call->fd_out, POLLOUT));

	return rfs_input_ready(run, thread, now) ? RFS_THREAD_ENABLED : 0;
}

static bool is_nonblocking(int fd)
{
	return fd >= 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK);
}

/*
 * Parks the thread at a call that moves data between the descriptors `from` and `to`; -1: there is no descriptor at
 * this end. The call is enabled when both descriptors are ready, but may still wait in the kernel.
 */
static enum rfs_then move(struct rfs_run *run, struct rfs_thread *thread, int from, int to)
{
	const unsigned how = thread->call->row->how;
	struct rfs_call_state *call = thread->call;
	struct rfs_op op = thread->next;
	bool at_once;

	call->fd = rfs_fd_duplicate_waiting(run, from);
	call->fd_out = rfs_fd_duplicate_waiting(run, to);
	if (call->fd < 0 && call->fd_out < 0)
		return RFS_THEN_UNDECIDED;
	call->inet = rfs_loopback_sends(run, call->fd_out);
	op.object = thread->args[0];
	call->retry = false;
	rfs_input_consider(run, thread,
			   call->fd_out >= 0 && rfs_input_is_outside(run, call->fd_out) ? call->fd_out
			   : call->fd >= 0						? call->fd
											: call->fd_out);
	at_once = (how && (thread->args[how] & SPLICE_F_NONBLOCK)) || is_nonblocking(call->fd) ||
		  is_nonblocking(call->fd_out);
	return rfs_park(run, thread, op, at_once ? rfs_ready_always : ready_move, rfs_go_kernel);
}

enum rfs_then rfs_sys_move(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_syscall *row = thread->call->row;

	return move(run, thread, (int)thread->args[row->from], (int)thread->args[row->to]);
}

/* The descriptor is an end of a pipe. Data moves out of the read end and into the write end (vmsplice(2)). */
enum rfs_then rfs_sys_vmsplice(struct rfs_run *run, struct rfs_thread *thread)
{
	int pipe = (int)thread->args[0], fd = rfs_fd_duplicate(run, pipe),
	    mode = fd < 0 ? 0 : fcntl(fd, F_GETFL) & O_ACCMODE;

	if (fd >= 0)
		close(fd);
	if (mode == O_RDONLY)
		return move(run, thread, pipe, -1);
	note_output(run, thread);
	return move(run, thread, -1, pipe);
}
