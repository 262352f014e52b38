/*
 * own_pipes.c - finds deadlocks through pipes and sockets.
 *
 * A thread that reads from an empty pipe, or writes to a full one, may wait for another process. It does not if only
 * the target has the pipe open. If that is so for all pipes, and all other threads wait for locks, conditions and
 * threads, then nobody is left who could wake one of them.
 */
#include "supervisor/kernel/own_pipes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/kernel/call_state.h"
#include "supervisor/kernel/input_fd.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/kernel/target_fd.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

/* Whether the descriptor is one of our duplicates of the target's descriptors. */
static bool is_duplicate(const struct rfs_run *run, int fd)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->call && (run->threads[i]->call->fd == fd || run->threads[i]->call->fd_out == fd))
			return true;
	return false;
}

/* Whether the process has the pipe open. ours: this process, whose duplicates do not count. */
static bool has_open(const struct rfs_run *run, const char *process, const struct stat *pipe, bool ours, int except)
{
	char path[300];
	struct dirent *entry;
	struct stat st;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%s/fd", process);
	fds = opendir(path);
	while (fds && !found && (entry = readdir(fds))) {
		const int fd = atoi(entry->d_name);

		found = entry->d_name[0] != '.' && fstatat(dirfd(fds), entry->d_name, &st, 0) == 0 &&
			st.st_dev == pipe->st_dev && st.st_ino == pipe->st_ino &&
			!(ours && (fd == except || is_duplicate(run, fd)));
	}
	if (fds)
		closedir(fds);
	return found;
}

/* Whether a process other than the target has the pipe open. A process that we may not look at does not count. */
static bool is_shared(const struct rfs_run *run, int fd)
{
	const pid_t us = getpid(), target = rfs_tracer_pid(run->tracer);
	struct dirent *entry;
	struct stat pipe;
	bool found = false;
	DIR *proc;

	if (fstat(fd, &pipe) != 0)
		return true;
	proc = opendir("/proc");
	while (proc && !found && (entry = readdir(proc))) {
		const pid_t pid = (pid_t)atoi(entry->d_name);

		found = pid > 0 && pid != target && has_open(run, entry->d_name, &pipe, pid == us, fd);
	}
	if (!proc)
		return true;
	closedir(proc);
	return found;
}

/* Whether only the target can end a wait for this descriptor, which is ours. */
static bool is_own(struct rfs_run *run, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISFIFO(st.st_mode))
		return !rfs_fd_is_fifo(fd) && !is_shared(run, fd);
	return S_ISSOCK(st.st_mode) && !rfs_fd_peer_is_outside(run, fd);
}

enum waits { WAITS_FOR_THREAD, WAITS_FOR_PIPE, WAITS_FOR_OTHERS };

static enum waits wait_of(struct rfs_run *run, const struct rfs_thread *thread)
{
	const bool sleeps = thread->state == RFS_STATE_KERNEL, parked = thread->state == RFS_STATE_PARKED;
	const struct rfs_syscall *row = thread->call ? thread->call->row : NULL;
	bool own;
	int fd;

	if (parked && thread->next.kind != RFS_OP_SYSCALL && thread->next.kind != RFS_OP_KERNEL)
		return WAITS_FOR_THREAD;
	if ((!parked && !(sleeps && rfs_task_state(thread->task) == 'S')) || !row || row->fds != RFS_FD_ARG0 ||
	    (row->waits != RFS_WAITS_READ && row->waits != RFS_WAITS_WRITE))
		return WAITS_FOR_OTHERS;
	fd = rfs_fd_duplicate(run, (int)thread->args[0]);
	if (fd < 0)
		return WAITS_FOR_OTHERS;
	own = is_own(run, fd);
	close(fd);
	return own ? WAITS_FOR_PIPE : WAITS_FOR_OTHERS;
}

bool rfs_own_pipes_is_shared(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_syscall *row = thread->call->row;

	return row && row->fds == RFS_FD_ARG0 && (row->waits == RFS_WAITS_READ || row->waits == RFS_WAITS_WRITE) &&
	       wait_of(run, thread) == WAITS_FOR_OTHERS;
}

bool rfs_own_pipes_deadlock(struct rfs_run *run)
{
	bool any = false;

	if (run->n_children || (run->spec->driven && !run->driver_ended))
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
	return any;
}
