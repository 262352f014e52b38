/*
 * own_pipes.c - finds deadlocks through pipes, sockets and eventfds.
 *
 * A thread that reads from an empty pipe, or writes to a full one, may wait for another process. It does not if only
 * the target has the pipe open. If that is so for all pipes, and all other threads wait for locks, conditions and
 * threads, then nobody is left who could wake one of them. A poll, select or epoll waits for each of its descriptors.
 *
 * Child processes run by themselves. If all of them sleep for good too (sleeping_forever.h), what they have open is the
 * target's own.
 *
 * A signal from outside may end a wait for input, because its handler may write to the pipe (the self-pipe trick). So
 * if the target handles such a signal, only waits to write count.
 */
#include "supervisor/kernel/own_pipes.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/asleep/sleeping_forever.h"
#include "supervisor/base/process.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/input_fd.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

/*
 * Looks at the children that must see the same. No thread of the target runs meanwhile, so a child that did not run
 * between two looks was asleep at a moment at which all others were.
 */
#define CHILDREN_LOOKS 2

/* Whether the descriptor is one of our duplicates of the target's descriptors. */
static bool is_duplicate(const struct rfs_run *run, int fd)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->call && (run->threads[i]->call->fd == fd || run->threads[i]->call->fd_out == fd))
			return true;
	return false;
}

/* Our own descriptors of a pipe of the target. */
struct duplicates {
	const struct rfs_run *run;
	int fd;
};

static bool is_ours(const void *arg, int fd)
{
	const struct duplicates *ours = arg;

	return fd == ours->fd || is_duplicate(ours->run, fd);
}

/* Whether the process is below us: a child of the target, or a child of a child. */
static bool is_child(const struct rfs_run *run, pid_t pid)
{
	const pid_t us = getpid();

	while (run->n_children && pid > 1 && pid != us)
		pid = rfs_process_parent(pid);
	return run->n_children && pid == us;
}

/*
 * Whether a process other than the target and its children has the pipe open. A process that we may not look at does
 * not count.
 */
static bool pipe_is_shared(const struct rfs_run *run, int fd)
{
	const pid_t us = getpid(), target = rfs_tracer_pid(run->tracer);
	const struct duplicates ours = {run, fd};
	struct dirent *entry;
	struct stat pipe;
	bool found = false;
	DIR *proc;

	if (fstat(fd, &pipe) != 0)
		return true;
	proc = opendir("/proc");
	while (proc && !found && (entry = readdir(proc))) {
		const pid_t pid = (pid_t)atoi(entry->d_name);

		found = pid > 0 && pid != target &&
			rfs_process_has_open(pid, &pipe, pid == us ? is_ours : NULL, &ours) &&
			(pid == us || !is_child(run, pid));
	}
	if (!proc)
		return true;
	closedir(proc);
	return found;
}

/*
 * Whether only the target and its children can end a wait for this descriptor, which is ours. An eventfd is theirs. A
 * timer is not armed, because virtual time has nothing due.
 */
static bool own_pipes_is_own(struct rfs_run *run, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISFIFO(st.st_mode))
		return !rfs_fd_is_fifo(fd) && !pipe_is_shared(run, fd);
	if (S_ISSOCK(st.st_mode))
		return !rfs_fd_peer_is_outside(run, fd);
	if (rfs_fd_is_anonymous(fd, "eventfd"))
		return !rfs_process_uses_aio(rfs_tracer_pid(run->tracer));
	return rfs_fd_is_anonymous(fd, "timerfd");
}

/* The same for a descriptor of the target. */
static bool is_targets_own(struct rfs_run *run, int number)
{
	int fd = rfs_fd_duplicate(run, number);
	bool own = fd >= 0 && own_pipes_is_own(run, fd);

	if (fd >= 0)
		close(fd);
	return own;
}

/* What a call waits for. */
struct awaited {
	size_t n;     /* how many descriptors */
	bool own;     /* all of them are the target's own */
	bool to_read; /* at least one of them is to be readable */
};

static void await(struct rfs_run *run, int fd, bool to_read, struct awaited *out)
{
	out->n++;
	out->own = out->own && is_targets_own(run, fd);
	out->to_read = out->to_read || to_read;
}

static void await_pollfds(struct rfs_run *run, rfs_addr fds, size_t n, struct awaited *out)
{
	struct pollfd one;

	for (size_t i = 0; i < n && out->own; i++) {
		if (!rfs_peek(run, fds + i * sizeof(one), &one, sizeof(one)))
			out->own = false;
		else if (one.fd >= 0)
			await(run, one.fd, one.events & ~POLLOUT, out);
	}
}

static void await_set(struct rfs_run *run, rfs_addr set, unsigned long n, bool to_read, struct awaited *out)
{
	fd_set fds;
	size_t bytes = (n + 63) / 64 * 8;

	if (!set || !out->own)
		return;
	if (bytes > sizeof(fds) || !rfs_peek(run, set, &fds, bytes)) {
		out->own = false;
		return;
	}
	for (unsigned long i = 0; i < n && out->own; i++)
		if (FD_ISSET(i, &fds))
			await(run, (int)i, to_read, out);
}

/* The descriptors of an epoll instance are in /proc (proc(5), fdinfo). */
static void await_epoll(struct rfs_run *run, int epoll, struct awaited *out)
{
	char path[64], line[256];
	unsigned events;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)rfs_tracer_pid(run->tracer), epoll);
	file = fopen(path, "re");
	out->own = file != NULL;
	while (file && out->own && fgets(line, sizeof(line), file))
		if (sscanf(line, "tfd: %d events: %x", &fd, &events) == 2)
			await(run, fd, events & EPOLLIN, out);
	if (file)
		fclose(file);
}

static bool handles_signals(const struct rfs_run *run)
{
	const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGIO};
	uint64_t caught;

	if (!rfs_process_signals(rfs_tracer_pid(run->tracer), "SigCgt:", &caught))
		return true;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (caught >> (signals[i] - 1) & 1)
			return true;
	return false;
}

static bool is_wait_for_child(const struct rfs_syscall *row)
{
	return row == rfs_syscall_row(SYS_wait4) || row == rfs_syscall_row(SYS_waitid);
}

enum waits { WAITS_FOR_THREAD, WAITS_FOR_PIPE, WAITS_FOR_OTHERS };

static enum waits wait_of(struct rfs_run *run, const struct rfs_thread *thread)
{
	const bool sleeps = thread->state == RFS_STATE_KERNEL, parked = thread->state == RFS_STATE_PARKED;
	const struct rfs_syscall *row = thread->call ? thread->call->row : NULL;
	const unsigned long *args = thread->args;
	struct awaited awaited = {.own = true};

	if (parked && thread->next.kind != RFS_OP_SYSCALL && thread->next.kind != RFS_OP_KERNEL)
		return WAITS_FOR_THREAD;
	if ((!parked && !(sleeps && rfs_task_state(thread->task) == 'S')) || !row || thread->process)
		return WAITS_FOR_OTHERS; /* the descriptors of another process are not looked at */
	switch (row->waits) {
	case RFS_WAITS_KERNEL:
		return (run->n_children || rfs_family_any(run)) && is_wait_for_child(row) ? WAITS_FOR_PIPE
											  : WAITS_FOR_OTHERS;
	case RFS_WAITS_READ:
	case RFS_WAITS_WRITE:
		if (row->fds != RFS_FD_ARG0)
			return WAITS_FOR_OTHERS;
		await(run, (int)args[0], row->waits == RFS_WAITS_READ, &awaited);
		break;
	case RFS_WAITS_POLL:
		await_pollfds(run, args[0], args[1], &awaited);
		break;
	case RFS_WAITS_SELECT:
		await_set(run, args[1], args[0], true, &awaited);
		await_set(run, args[2], args[0], false, &awaited);
		await_set(run, args[3], args[0], true, &awaited);
		break;
	case RFS_WAITS_EPOLL:
		await_epoll(run, (int)args[0], &awaited);
		break;
	default:
		return WAITS_FOR_OTHERS;
	}
	if (!awaited.n || !awaited.own || (awaited.to_read && handles_signals(run)))
		return WAITS_FOR_OTHERS;
	return WAITS_FOR_PIPE;
}

bool rfs_own_pipes_is_shared(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_syscall *row = thread->call->row;

	return row && row->fds == RFS_FD_ARG0 && (row->waits == RFS_WAITS_READ || row->waits == RFS_WAITS_WRITE) &&
	       wait_of(run, thread) == WAITS_FOR_OTHERS;
}

bool rfs_child_may_signal(const struct rfs_run *run)
{
	return run->n_children && rfs_signal_is_caught(run);
}

bool rfs_own_pipes_deadlock(struct rfs_run *run, struct rfs_asleep *children)
{
	bool any = false;

	/* the first process of the program is above the target, and may end any wait */
	if (run->follow.taken || (run->spec->driven && !run->loop.driver_ended))
		return false;
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *thread = run->threads[i];
		enum waits waits;

		if (thread->state == RFS_STATE_ENDED || !thread->task)
			continue;
		waits = wait_of(run, thread);
		if (waits == WAITS_FOR_OTHERS)
			return false;
		any = any || waits == WAITS_FOR_PIPE;
	}
	return (any || rfs_child_may_signal(run)) &&
	       (!run->n_children || rfs_sleeping_forever(children, CHILDREN_LOOKS, rfs_tracer_pid(run->tracer)));
}
