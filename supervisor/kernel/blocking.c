/*
 * blocking.c - system calls that may wait for somebody.
 *
 * On regular files they just run. On pipes, sockets, eventfds and terminals a call is a visible operation, enabled when
 * a poll without a timeout, on a duplicate of the descriptor that we took, says that it would not wait. The rest enters
 * the kernel with a stop at its exit, before any user code: calls that no poll can tell about (file locks, children,
 * opens of FIFOs), and writes of more than a poll promises room for. A thread in the kernel is never interrupted, only
 * waited for.
 *
 * What ends such a wait may be a call of another thread (it reads what fills the pipe, opens the other end, unlocks).
 * The kernel wakes the sleeper inside that call, so before the caller goes on from it, and before any choice, we wait
 * until all sleepers are at their exits or asleep again: when they come back depends on the schedule alone.
 */
#include "supervisor/kernel/blocking.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/fifo.h"
#include "supervisor/kernel/input.h"
#include "supervisor/kernel/input_fd.h"
#include "supervisor/kernel/kernel_hb.h"
#include "supervisor/kernel/loopback.h"
#include "supervisor/kernel/nondeterminism.h"
#include "supervisor/kernel/pids.h"
#include "supervisor/kernel/ports.h"
#include "supervisor/kernel/signal_fd.h"
#include "supervisor/kernel/signals.h"
#include "supervisor/kernel/syscalls.h"
#include "supervisor/kernel/timers.h"
#include "supervisor/run/quiesce.h"
#include "supervisor/run/run.h"
#include "supervisor/run/stops.h"
#include "supervisor/state/events.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/trace.h"
#include "supervisor/state/virtual_time.h"
#include "tracer/tracer-priv.h"
#include "tracer/tracer.h"

/* Where a zero timespec is put for a poll: below the red zone of the thread's own stack. */
#define SCRATCH_BELOW_STACK 1024

int rfs_fd_duplicate(struct rfs_run *run, int fd)
{
	if (run->pidfd < 0)
		run->pidfd = (int)syscall(SYS_pidfd_open, rfs_tracer_pid(run->tracer), 0);
	return run->pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, run->pidfd, fd, 0);
}

/* A signal to us (run.c has a timer) ends a poll that finds nothing, also one without a timeout. */
static bool polls(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do
		n = poll(&p, 1, 0);
	while (n < 0 && errno == EINTR);
	return n != 0;
}

/* What the thread would find there. */
static bool finds(const struct rfs_run *run, struct rfs_thread *thread, int fd, short events)
{
	bool ready;

	if (run->signal_fds && (events & POLLIN) && rfs_signal_fd(thread, fd, &ready))
		return ready;
	return polls(fd, events);
}

bool rfs_fd_readable(int fd)
{
	return polls(fd, POLLIN);
}

static bool would_wait(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISCHR(st.st_mode))
		return isatty(fd) || rfs_fd_is_device(fd);
	return !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISBLK(st.st_mode);
}

/* /dev/random and /dev/urandom: mem(4) devices 8 and 9. */
static bool is_random(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == 1 &&
	       (minor(st.st_rdev) == 8 || minor(st.st_rdev) == 9);
}

void rfs_blocking_drop(struct rfs_thread *thread)
{
	if (thread->fd >= 0)
		close(thread->fd);
	if (thread->fd_out >= 0)
		close(thread->fd_out);
	thread->fd = thread->fd_out = -1;
}

/* Runs the call with a stop at its exit, or answers it. */
static void go_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	long result;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_input_answer(run, thread))
		return;
	if (thread->number_nr == SYS_read && rfs_timers_read(run, thread, thread->fd, &result)) {
		rfs_blocking_drop(thread);
		rfs_syscall_answer(run, thread, result);
		return;
	}
	rfs_kernel_hb_begin(run, thread);
	(void)rfs_syscall_translate(run, thread->task, thread->number_nr, thread->args);
	rfs_blocking_drop(thread);
	rfs_let_run(run, thread, RFS_RESUME_SYSCALL, 0);
}

/* Runs the call, whether it comes back or not. */
static void go_kernel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_input_wait(run, thread))
		return;
	rfs_kernel_hb_begin(run, thread);
	rfs_blocking_drop(thread);
	(void)rfs_syscall_translate(run, thread->task, thread->number_nr, thread->args);
	rfs_enter_kernel(run, thread);
}

static unsigned ready_read(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_input_ready(run, thread, finds(run, thread, thread->fd, POLLIN)) ? RFS_THREAD_ENABLED : 0;
}

static unsigned ready_write(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_input_ready(run, thread, polls(thread->fd, POLLOUT)) ? RFS_THREAD_ENABLED : 0;
}

/* The vector of a struct msghdr of the target's, behind the n pieces that are there. Returns how many there are now. */
static size_t message_pieces(struct rfs_run *run, const struct msghdr *message, struct iovec *pieces, size_t n)
{
	size_t more = message->msg_iovlen < UIO_MAXIOV - n ? message->msg_iovlen : UIO_MAXIOV - n;

	return more && rfs_peek(run, (rfs_addr)(uintptr_t)message->msg_iov, pieces + n, more * sizeof(*pieces))
		       ? n + more
		       : n;
}

/* What the call that the thread stands in would write, in the target's memory. pieces: room for UIO_MAXIOV. */
static size_t output_pieces(struct rfs_run *run, const struct rfs_thread *thread, struct iovec *pieces)
{
	const unsigned long *args = thread->args;
	struct mmsghdr message;
	size_t n = 0;

	switch (thread->number_nr) {
	case SYS_write:
	case SYS_sendto:
		pieces[0] = (struct iovec){(void *)(uintptr_t)args[1], args[2]};
		return 1;
	case SYS_writev:
	case SYS_vmsplice:
		n = args[2] < UIO_MAXIOV ? args[2] : UIO_MAXIOV;
		return n && rfs_peek(run, args[1], pieces, n * sizeof(*pieces)) ? n : 0;
	case SYS_sendmsg:
		return rfs_peek(run, args[1], &message.msg_hdr, sizeof(message.msg_hdr))
			       ? message_pieces(run, &message.msg_hdr, pieces, 0)
			       : 0;
	case SYS_sendmmsg:
		for (size_t i = 0; i < args[2] && n < UIO_MAXIOV; i++) {
			if (!rfs_peek(run, args[1] + i * sizeof(message), &message, sizeof(message)))
				break;
			n = message_pieces(run, &message.msg_hdr, pieces, n);
		}
		return n;
	default:
		return 0;
	}
}

/* What the program says to the world is part of what a run is. */
static void note_output(struct rfs_run *run, struct rfs_thread *thread)
{
	struct iovec pieces[UIO_MAXIOV];
	size_t n = output_pieces(run, thread, pieces);

	for (size_t i = 0; i < n; i++)
		rfs_trace_output(run, thread, (rfs_addr)(uintptr_t)pieces[i].iov_base, pieces[i].iov_len);
}

/*
 * Whether a write to a descriptor that polls as writable may have to wait all the same, in the middle.
 *
 * A pipe has room for pages, not for bytes (pipe(7)): how many are in use cannot be asked, so only an empty one is
 * known to take all of its size. Otherwise POLLOUT means one free page, which is PIPE_BUF bytes. A stream socket that
 * polls as writable has room for at least that much. A terminal promises a byte, an eventfd that 1 can be added
 * (eventfd(2)); numbers below 2^32 would have to be added 2^32 times.
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
	if (thread->fd < 0 || fstat(thread->fd, &st) != 0)
		return true;
	if (S_ISCHR(st.st_mode))
		return size > 1;
	if ((st.st_mode & S_IFMT) == 0)
		return n && rfs_peek(run, (rfs_addr)(uintptr_t)pieces[0].iov_base, &number, sizeof(number)) &&
		       number > UINT32_MAX;
	if (S_ISFIFO(st.st_mode) && ioctl(thread->fd, FIONREAD, &used) == 0 && used == 0) {
		int room = fcntl(thread->fd, F_GETPIPE_SZ);

		return size > PIPE_BUF && size > (uint64_t)(room > 0 ? room : 0);
	}
	return size > PIPE_BUF;
}

static void go_write(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	if (may_wait_inside(run, thread))
		go_kernel(run, thread, choice);
	else
		go_call(run, thread, choice);
}

/* Our duplicate where an operation on the descriptor may wait, else -1. */
static int waiting_duplicate(struct rfs_run *run, int descriptor)
{
	int fd = descriptor < 0 ? -1 : rfs_fd_duplicate(run, descriptor);

	if (fd >= 0 && !would_wait(fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool random_call(struct rfs_run *run, struct rfs_thread *thread)
{
	int fd = rfs_fd_duplicate(run, (int)thread->args[0]);
	bool random = fd >= 0 && is_random(fd);

	if (fd >= 0)
		close(fd);
	if (random)
		rfs_answer_random(run, thread);
	return random;
}

/* The call sends by our duplicate fd, -1: by none. */
static bool sends_over_loopback(struct rfs_run *run, int fd)
{
	if (fd < 0 || !rfs_loopback_carries(fd))
		return false;
	if (!run->loopback_asked) {
		run->loopback_asked = true;
		run->loopback = rfs_loopback_new();
	}
	return true;
}

static void push(struct rfs_run *run, const struct rfs_thread *thread)
{
	int fd = rfs_fd_duplicate(run, (int)thread->args[thread->number_nr == SYS_splice ? 2 : 0]);

	if (fd < 0)
		return;
	rfs_loopback_push(fd);
	close(fd);
}

static bool stream_call(struct rfs_run *run, struct rfs_thread *thread, bool write, bool dont_wait)
{
	struct rfs_op op = thread->next;

	if (write)
		note_output(run, thread);
	thread->fd = waiting_duplicate(run, (int)thread->args[0]);
	if (thread->fd < 0)
		return !write && random_call(run, thread);
	thread->inet = write && sends_over_loopback(run, thread->fd);
	op.object = thread->args[0];
	thread->retry = false;
	if (!write)
		rfs_nondet_read(run, thread->fd);
	rfs_input_consider(run, thread, thread->fd);
	if (dont_wait || (fcntl(thread->fd, F_GETFL) & O_NONBLOCK))
		rfs_park(run, thread, op, rfs_ready_always, go_call);
	else if (write)
		rfs_park(run, thread, op, ready_write, go_write);
	else
		rfs_park(run, thread, op, ready_read, go_call);
	return true;
}

static unsigned ready_move(struct rfs_run *run, struct rfs_thread *thread)
{
	bool now =
		(thread->fd < 0 || polls(thread->fd, POLLIN)) && (thread->fd_out < 0 || polls(thread->fd_out, POLLOUT));

	return rfs_input_ready(run, thread, now) ? RFS_THREAD_ENABLED : 0;
}

/* splice and its kin, from one descriptor to another (-1: none): ready when both are, and as long as they like. */
static bool move_call(struct rfs_run *run, struct rfs_thread *thread, int from, int to, unsigned long flags)
{
	bool dont_wait = flags & SPLICE_F_NONBLOCK;
	struct rfs_op op = thread->next;

	thread->fd = waiting_duplicate(run, from);
	thread->fd_out = waiting_duplicate(run, to);
	if (thread->fd < 0 && thread->fd_out < 0)
		return false;
	thread->inet = sends_over_loopback(run, thread->fd_out);
	op.object = thread->args[0];
	thread->retry = false;
	rfs_input_consider(run, thread,
			   thread->fd_out >= 0 && rfs_fd_is_outside(thread->fd_out) ? thread->fd_out
			   : thread->fd >= 0					    ? thread->fd
										    : thread->fd_out);
	dont_wait = dont_wait || (thread->fd >= 0 && (fcntl(thread->fd, F_GETFL) & O_NONBLOCK)) ||
		    (thread->fd_out >= 0 && (fcntl(thread->fd_out, F_GETFL) & O_NONBLOCK));
	rfs_park(run, thread, op, dont_wait ? rfs_ready_always : ready_move, go_kernel);
	return true;
}

/* The pipe's end says in which direction the memory goes (vmsplice(2)). */
static bool vmsplice_call(struct rfs_run *run, struct rfs_thread *thread)
{
	int pipe = (int)thread->args[0], fd = rfs_fd_duplicate(run, pipe),
	    mode = fd < 0 ? 0 : fcntl(fd, F_GETFL) & O_ACCMODE;

	if (fd >= 0)
		close(fd);
	if (mode == O_RDONLY)
		return move_call(run, thread, pipe, -1, thread->args[3]);
	note_output(run, thread);
	return move_call(run, thread, -1, pipe, thread->args[3]);
}

/* Locks on parts of a file: the calls that never wait are operations too, because what they find is the schedule's. */
static bool lock_call(struct rfs_run *run, struct rfs_thread *thread)
{
	switch ((int)thread->args[1]) {
	case F_SETLKW:
	case F_OFD_SETLKW:
		rfs_park(run, thread, thread->next, rfs_ready_always, go_kernel);
		return true;
	case F_SETLK:
	case F_OFD_SETLK:
		rfs_park(run, thread, thread->next, rfs_ready_always, go_call);
		return true;
	default:
		return false;
	}
}

/* An open of a FIFO waits for the other end, unless it is told not to, or is both ends itself (fifo(7)). */
static bool open_call(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long flags;
	bool waits;

	if (!rfs_opens_fifo(run, thread, &flags))
		return false;
	waits = !(flags & O_NONBLOCK) && (flags & O_ACCMODE) != O_RDWR;
	rfs_park(run, thread, thread->next, rfs_ready_always, waits ? go_kernel : go_call);
	return true;
}

/* poll, select, epoll: ready when one of the descriptors is; made with no timeout then. */

static bool ready_pollfds(struct rfs_run *run, struct rfs_thread *thread, rfs_addr fds, size_t n)
{
	struct pollfd *p;
	bool ready = false;

	if (n == 0 || n > 65536)
		return false;
	p = xmalloc(n * sizeof(*p));
	if (!rfs_peek(run, fds, p, n * sizeof(*p)))
		ready = true; /* fails at once */
	for (size_t i = 0; i < n && !ready; i++) {
		int fd = p[i].fd < 0 ? -1 : rfs_fd_duplicate(run, p[i].fd);

		ready = p[i].fd >= 0 && (fd < 0 || finds(run, thread, fd, p[i].events));
		if (fd >= 0)
			close(fd);
	}
	free(p);
	return ready;
}

static bool ready_fdset(struct rfs_run *run, struct rfs_thread *thread, rfs_addr set, int n, short events)
{
	fd_set fds;
	size_t bytes = ((size_t)n + 63) / 64 * 8;

	if (set == 0 || n <= 0)
		return false;
	if (bytes > sizeof(fds))
		bytes = sizeof(fds);
	if (!rfs_peek(run, set, &fds, bytes))
		return true;
	for (int i = 0; i < n && i < FD_SETSIZE; i++) {
		int fd;
		bool ready;

		if (!FD_ISSET(i, &fds))
			continue;
		fd = rfs_fd_duplicate(run, i);
		ready = fd < 0 || finds(run, thread, fd, events);
		if (fd >= 0)
			close(fd);
		if (ready)
			return true;
	}
	return false;
}

/*
 * A signal waits that the thread blocks, but not during this call (ppoll, pselect, epoll_pwait): the call is what lets
 * it in.
 */
static bool lets_signal_in(struct rfs_run *run, struct rfs_thread *thread)
{
	const unsigned long *args = thread->args;
	unsigned long queued, mask = 0;
	rfs_addr at = 0;

	switch (thread->number_nr) {
	case SYS_ppoll:
		at = args[3];
		break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		at = args[4];
		break;
	case SYS_pselect6:
		/* a pointer to a pointer and a size (select(2)) */
		if (args[5] && !rfs_peek(run, args[5], &at, sizeof(at)))
			at = 0;
		break;
	default:
		break;
	}
	return at && rfs_peek(run, at, &mask, sizeof(mask)) && rfs_task_queued_signals(thread->task, &queued) == 0 &&
	       rfs_signal_matters(run, queued & ~mask);
}

static unsigned ready_poll(struct rfs_run *run, struct rfs_thread *thread)
{
	const unsigned long *args = thread->args;
	bool ready = false;

	switch (thread->number_nr) {
	case SYS_poll:
	case SYS_ppoll:
		ready = ready_pollfds(run, thread, args[0], args[1]);
		break;
	case SYS_select:
	case SYS_pselect6:
		ready = ready_fdset(run, thread, args[1], (int)args[0], POLLIN) ||
			ready_fdset(run, thread, args[2], (int)args[0], POLLOUT) ||
			ready_fdset(run, thread, args[3], (int)args[0], POLLPRI);
		break;
	default:
		ready = thread->fd < 0 || (run->signal_fds && rfs_signal_fd_in_epoll(run, thread, thread->fd)) ||
			polls(thread->fd, POLLIN);
		break;
	}
	ready = rfs_input_ready(run, thread, ready) || thread->deadline <= run->now || lets_signal_in(run, thread);
	return rfs_ready_timed(run, ready, ready ? RFS_NEVER : thread->deadline);
}

/* Where the call has its timeout, and whether that is a pointer to a timespec or timeval. */
static int timeout_argument(long number, bool *pointer, bool *micro)
{
	*pointer = number == SYS_ppoll || number == SYS_select || number == SYS_pselect6 || number == SYS_epoll_pwait2;
	*micro = number == SYS_select;
	switch (number) {
	case SYS_poll:
	case SYS_ppoll:
		return 2;
	case SYS_select:
	case SYS_pselect6:
		return 4;
	default:
		return 3;
	}
}

static void set_argument(struct rfs_thread *thread, int index, uint64_t value)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);

	switch (index) {
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

static void go_poll(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_addr scratch = rfs_task_regs(thread->task)->rsp - SCRATCH_BELOW_STACK;
	uint64_t zero[2] = {0, 0};
	bool pointer, micro;
	int index = timeout_argument(thread->number_nr, &pointer, &micro);

	if (lets_signal_in(run, thread)) {
		/* as it is: with no timeout the kernel would not look at signals */
		thread->from_outside = thread->retry = false;
		go_call(run, thread, choice);
		return;
	}
	if (pointer && !rfs_poke(run, scratch, zero, sizeof(zero))) {
		rfs_run_uncontrolled(run, "cannot write to the stack of thread %d", thread->number);
		return;
	}
	set_argument(thread, index, pointer ? scratch : 0);
	thread->retry = choice->outcome == RFS_OUTCOME_DONE && thread->deadline > run->now;
	go_call(run, thread, choice);
}

static bool read_timeout(struct rfs_run *run, struct rfs_thread *thread)
{
	bool pointer, micro;
	unsigned long argument = thread->args[timeout_argument(thread->number_nr, &pointer, &micro)];
	int64_t t[2];
	uint64_t nanos;

	thread->deadline = RFS_NEVER;
	if (!pointer) {
		if ((int)argument >= 0)
			thread->deadline = run->now + (uint64_t)(int)argument * 1000000;
		return true;
	}
	if (argument == 0)
		return true;
	if (!rfs_peek(run, argument, t, sizeof(t)) || t[0] < 0 || t[1] < 0)
		return false;
	nanos = (uint64_t)t[1] * (micro ? 1000 : 1);
	if ((uint64_t)t[0] < UINT64_MAX / RFS_NANOS / 4)
		thread->deadline = run->now + (uint64_t)t[0] * RFS_NANOS + nanos;
	return true;
}

static bool poll_call(struct rfs_run *run, struct rfs_thread *thread)
{
	bool epoll = thread->number_nr == SYS_epoll_wait || thread->number_nr == SYS_epoll_pwait ||
		     thread->number_nr == SYS_epoll_pwait2;

	if (!read_timeout(run, thread))
		return false; /* fails at once */
	thread->retry = true;
	thread->fd = epoll ? rfs_fd_duplicate(run, (int)thread->args[0]) : -1;
	rfs_input_consider(run, thread, -1);
	rfs_park(run, thread, thread->next, ready_poll, go_poll);
	return true;
}

void rfs_enter_kernel(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->state = RFS_STATE_KERNEL;
	thread->deadline = RFS_NEVER;
	thread->retry = false;
	if (run->running == thread)
		run->running = NULL;
	if (rfs_task_resume(thread->task, RFS_RESUME_SYSCALL, 0) != 0)
		return;
	/* What comes back at once is taken at once; only a thread that really sleeps is left alone. */
	while (!run->ended && thread->state == RFS_STATE_KERNEL) {
		struct rfs_stop stop;
		int got = rfs_tracer_wait(run->tracer, 1, &stop);

		if (got == 1) {
			run->result->stops++;
			rfs_handle_stop(run, &stop);
		} else if (got < 0 || rfs_task_state(thread->task) == 'S') {
			return;
		}
	}
}

/* The calls that go_poll() issues with no timeout. */
static bool is_poll(long number)
{
	switch (number) {
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return true;
	default:
		return false;
	}
}

bool rfs_blocking_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	thread->inet = false;
	if (is_poll(stop->number))
		return poll_call(run, thread);
	switch (stop->number) {
	case SYS_read:
	case SYS_readv:
	case SYS_accept:
	case SYS_accept4:
		return stream_call(run, thread, false, false);
	case SYS_recvfrom:
		return stream_call(run, thread, false, stop->args[3] & MSG_DONTWAIT);
	case SYS_recvmsg:
		return stream_call(run, thread, false, stop->args[2] & MSG_DONTWAIT);
	case SYS_recvmmsg:
		return stream_call(run, thread, false, stop->args[3] & MSG_DONTWAIT);
	case SYS_write:
	case SYS_writev:
		return stream_call(run, thread, true, false);
	case SYS_sendto:
		return stream_call(run, thread, true, stop->args[3] & MSG_DONTWAIT);
	case SYS_sendmsg:
		return stream_call(run, thread, true, stop->args[2] & MSG_DONTWAIT);
	case SYS_sendmmsg:
		return stream_call(run, thread, true, stop->args[3] & MSG_DONTWAIT);
	case SYS_connect:
		thread->fd = rfs_fd_duplicate(run, (int)stop->args[0]);
		(void)sends_over_loopback(run, thread->fd);
		rfs_input_consider(run, thread, thread->fd);
		rfs_park(run, thread, thread->next, rfs_ready_always, go_kernel);
		return true;
	case SYS_splice:
		return move_call(run, thread, (int)stop->args[0], (int)stop->args[2], stop->args[5]);
	case SYS_tee:
		return move_call(run, thread, (int)stop->args[0], (int)stop->args[1], stop->args[3]);
	case SYS_vmsplice:
		return vmsplice_call(run, thread);
	case SYS_sendfile:
		return move_call(run, thread, (int)stop->args[1], (int)stop->args[0], 0);
	case SYS_fcntl:
		return lock_call(run, thread);
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
	case SYS_creat:
		return open_call(run, thread);
	default:
		rfs_park(run, thread, thread->next, rfs_ready_always, go_kernel);
		return true;
	}
}

/* The thread stands at the exit of a call. False: it is gone meanwhile. */
static bool let_others_rest(struct rfs_run *run, struct rfs_thread *thread)
{
	while (rfs_threads_move(run)) {
		struct rfs_stop stop;

		if (rfs_tracer_wait(run->tracer, 1, &stop) != 1) {
			if (!rfs_run_may_go_on(run))
				return false;
			continue;
		}
		run->result->stops++;
		rfs_handle_stop(run, &stop);
		if (run->ended || !thread->task || thread->state != RFS_STATE_RUNNING)
			return false;
	}
	return true;
}

void rfs_blocking_restore(struct rfs_thread *thread)
{
	bool pointer, micro;
	int index;

	if (!is_poll(thread->number_nr))
		return;
	index = timeout_argument(thread->number_nr, &pointer, &micro);
	set_argument(thread, index, thread->args[index]);
}

void rfs_syscall_exit(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	struct user_regs_struct *regs;
	(void)stop;

	rfs_pids_end(run, thread->task);
	rfs_blocking_restore(thread);
	if (thread->inet)
		push(run, thread);
	if (run->signal_fds && thread->number_nr == SYS_read)
		rfs_signal_fd_read(run, thread, (long)rfs_task_regs(thread->task)->rax);
	else if (rfs_pids_asks_peer(thread))
		rfs_pids_peer(run, thread);
	rfs_nondet_returned(run, thread, (long)rfs_task_regs(thread->task)->rax);
	rfs_ports_end(run, thread->task);
	rfs_input_returned(run, thread, thread->state == RFS_STATE_KERNEL);
	rfs_kernel_hb_end(run, thread, (long)rfs_task_regs(thread->task)->rax);
	if (thread->state == RFS_STATE_KERNEL) {
		/* Back from outside: goes on when it is picked. */
		rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0), rfs_ready_always,
			 rfs_go_proceed);
		return;
	}
	if (is_poll(thread->number_nr)) {
		regs = rfs_task_regs_mut(thread->task);
		if (thread->retry && regs->rax == 0 && thread->number_nr != SYS_select &&
		    thread->number_nr != SYS_pselect6) {
			regs->rax = (uint64_t)thread->number_nr;
			regs->rip -= 2; /* the syscall instruction */
		}
	}
	if (let_others_rest(run, thread))
		rfs_proceed(run, thread);
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

			if (t->state == RFS_STATE_PARKED && (t->ready(run, t) & RFS_THREAD_ENABLED))
				return true;
		}
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	return false;
}
