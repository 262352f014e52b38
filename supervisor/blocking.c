/*
 * blocking.c - system calls that may wait for somebody.
 *
 * On regular files they just run. On pipes, sockets, eventfds and terminals a call is a visible operation, enabled when
 * a poll without a timeout, on a duplicate of the descriptor that we took, says that it would not wait. The rest enters
 * the kernel with a stop at its exit, before any user code. A thread in the kernel is never interrupted, only waited
 * for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/alloc.h"
#include "supervisor/run-priv.h"

/* Where a zero timespec is put for a poll: below the red zone of the thread's own stack. */
#define SCRATCH_BELOW_STACK 1024
/* Output hashed per call: more is cut. */
#define IOV_MAX_READ 64

/* Our duplicate of the target's descriptor, or -1. */
static int duplicate(struct rfs_run *run, int fd)
{
	if (run->pidfd < 0)
		run->pidfd = (int)syscall(SYS_pidfd_open, rfs_tracer_pid(run->tracer), 0);
	return run->pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, run->pidfd, fd, 0);
}

static bool polls(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return poll(&p, 1, 0) != 0;
}

static bool would_wait(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISCHR(st.st_mode))
		return isatty(fd);
	return !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISBLK(st.st_mode);
}

static void close_duplicate(struct rfs_thread *thread)
{
	if (thread->fd >= 0)
		close(thread->fd);
	thread->fd = -1;
}

/* Runs the call with a stop at its exit. */
static void go_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	close_duplicate(thread);
	rfs_let_run(run, thread, RFS_RESUME_SYSCALL, 0);
}

static unsigned ready_read(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	return polls(thread->fd, POLLIN) ? RFS_THREAD_ENABLED : 0;
}

static unsigned ready_write(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	return polls(thread->fd, POLLOUT) ? RFS_THREAD_ENABLED : 0;
}

static bool stream_call(struct rfs_run *run, struct rfs_thread *thread, bool write, bool dont_wait)
{
	int fd = duplicate(run, (int)thread->args[0]);
	struct rfs_op op = thread->next;

	if (fd < 0 || !would_wait(fd)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	op.object = thread->args[0];
	thread->fd = fd;
	thread->retry = false;
	if (dont_wait || (fcntl(fd, F_GETFL) & O_NONBLOCK))
		rfs_park(run, thread, op, rfs_ready_always, go_call);
	else
		rfs_park(run, thread, op, write ? ready_write : ready_read, go_call);
	return true;
}

/* What the program says to the world is part of what a run is. */
static void note_output(struct rfs_run *run, struct rfs_thread *thread)
{
	struct iovec iov[IOV_MAX_READ];
	size_t n;

	if (thread->number_nr == SYS_write || thread->number_nr == SYS_sendto) {
		rfs_trace_output(run, thread, thread->args[1], thread->args[2]);
	} else if (thread->number_nr == SYS_writev) {
		n = thread->args[2] < IOV_MAX_READ ? thread->args[2] : IOV_MAX_READ;
		if (rfs_peek(run, thread->args[1], iov, n * sizeof(*iov)))
			for (size_t i = 0; i < n; i++)
				rfs_trace_output(run, thread, (rfs_addr)(uintptr_t)iov[i].iov_base, iov[i].iov_len);
	}
}

/* poll, select, epoll: ready when one of the descriptors is; made with no timeout then. */

static bool ready_pollfds(struct rfs_run *run, rfs_addr fds, size_t n)
{
	struct pollfd *p;
	bool ready = false;

	if (n == 0 || n > 65536)
		return false;
	p = xmalloc(n * sizeof(*p));
	if (!rfs_peek(run, fds, p, n * sizeof(*p)))
		ready = true; /* fails at once */
	for (size_t i = 0; i < n && !ready; i++) {
		int fd = p[i].fd < 0 ? -1 : duplicate(run, p[i].fd);

		ready = p[i].fd >= 0 && (fd < 0 || polls(fd, p[i].events));
		if (fd >= 0)
			close(fd);
	}
	free(p);
	return ready;
}

static bool ready_fdset(struct rfs_run *run, rfs_addr set, int n, short events)
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
		fd = duplicate(run, i);
		ready = fd < 0 || polls(fd, events);
		if (fd >= 0)
			close(fd);
		if (ready)
			return true;
	}
	return false;
}

static unsigned ready_poll(struct rfs_run *run, struct rfs_thread *thread)
{
	const unsigned long *args = thread->args;
	bool ready = thread->deadline <= run->now;

	switch (thread->number_nr) {
	case SYS_poll:
	case SYS_ppoll:
		ready = ready || ready_pollfds(run, args[0], args[1]);
		break;
	case SYS_select:
	case SYS_pselect6:
		ready = ready || ready_fdset(run, args[1], (int)args[0], POLLIN) ||
			ready_fdset(run, args[2], (int)args[0], POLLOUT) ||
			ready_fdset(run, args[3], (int)args[0], POLLPRI);
		break;
	default:
		ready = ready || thread->fd < 0 || polls(thread->fd, POLLIN);
		break;
	}
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

	if (pointer && !rfs_poke(run, scratch, zero, sizeof(zero))) {
		rfs_run_uncontrolled(run, "the stack of thread %d cannot be written", thread->number);
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
	thread->fd = epoll ? duplicate(run, (int)thread->args[0]) : -1;
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

static void go_kernel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_enter_kernel(run, thread);
}

bool rfs_blocking_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
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
		note_output(run, thread);
		return stream_call(run, thread, true, false);
	case SYS_sendto:
		note_output(run, thread);
		return stream_call(run, thread, true, stop->args[3] & MSG_DONTWAIT);
	case SYS_sendmsg:
		return stream_call(run, thread, true, stop->args[2] & MSG_DONTWAIT);
	case SYS_sendmmsg:
		return stream_call(run, thread, true, stop->args[3] & MSG_DONTWAIT);
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return poll_call(run, thread);
	default:
		rfs_park(run, thread, thread->next, rfs_ready_always, go_kernel);
		return true;
	}
}

static void restore_arguments(struct rfs_thread *thread)
{
	bool pointer, micro;
	int index = timeout_argument(thread->number_nr, &pointer, &micro);

	set_argument(thread, index, thread->args[index]);
}

void rfs_syscall_exit(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	struct user_regs_struct *regs;
	(void)stop;

	if (thread->state == RFS_STATE_KERNEL) {
		/* Back from outside: goes on when it is picked. */
		rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0), rfs_ready_always,
			 rfs_go_proceed);
		return;
	}
	switch (thread->number_nr) {
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		restore_arguments(thread);
		regs = rfs_task_regs_mut(thread->task);
		if (thread->retry && regs->rax == 0 && thread->number_nr != SYS_select &&
		    thread->number_nr != SYS_pselect6) {
			regs->rax = (uint64_t)thread->number_nr;
			regs->rip -= 2; /* the syscall instruction */
		}
		break;
	default:
		break;
	}
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
		rfs_peek_forget(run);
		for (size_t k = 0; k < run->n_threads; k++) {
			struct rfs_thread *t = run->threads[k];

			if (t->state == RFS_STATE_PARKED && (t->ready(run, t) & RFS_THREAD_ENABLED))
				return true;
		}
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	return false;
}
