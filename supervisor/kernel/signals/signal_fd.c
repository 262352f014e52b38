/* signal_fd.c - descriptors of signalfd(2): whether a read from one would return at once. */
#include "supervisor/kernel/signals/signal_fd.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

static bool is_signal_fd(int fd)
{
	struct stat st;

	/* eventfd, epoll, signalfd and similar descriptors have no file type */
	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == 0 && rfs_fd_is_anonymous(fd, "signalfd");
}

/*
 * The signals that the signalfd accepts, as bits signo - 1. They are in the line "sigmask:" of the descriptor's file in
 * /proc/self/fdinfo (proc(5)).
 */
static unsigned long signal_fd_mask_of(int fd)
{
	FILE *info = rfs_fd_info(fd);
	unsigned long mask = 0;
	char line[256];

	while (info && fgets(line, sizeof(line), info))
		if (sscanf(line, "sigmask: %lx", &mask) == 1)
			break;
	if (info)
		fclose(info);
	return mask;
}

/* Whether our duplicate fd is a signalfd. *ready: a signal that it accepts is pending for the thread. */
static bool is_ready(struct rfs_thread *thread, int fd, bool *ready)
{
	unsigned long queued = 0;

	*ready = false;
	if (!is_signal_fd(fd))
		return false;
	*ready = rfs_task_queued_signals(thread->task, &queued) == 0 && (queued & signal_fd_mask_of(fd));
	return true;
}

bool rfs_fd_finds(const struct rfs_run *run, struct rfs_thread *thread, int fd, short events)
{
	bool ready;

	if (rfs_signal_descriptors(run) && (events & POLLIN) && is_ready(thread, fd, &ready))
		return ready;
	return rfs_fd_polls(fd, events);
}

/* The signals that the signalfds of an epoll instance accept, as bits signo - 1. */
static unsigned long epoll_mask_of(struct rfs_run *run, int fd)
{
	FILE *info = rfs_fd_info(fd);
	unsigned long mask = 0;
	unsigned events;
	char line[256];
	int held;

	/* a line for each descriptor in the epoll instance, with the target's number: "tfd: N events: X ..." */
	while (info && fgets(line, sizeof(line), info)) {
		int own;

		if (sscanf(line, "tfd: %d events: %x", &held, &events) != 2 || !(events & EPOLLIN))
			continue;
		own = rfs_fd_duplicate(run, held);
		if (own < 0)
			continue;
		if (is_signal_fd(own))
			mask |= signal_fd_mask_of(own);
		close(own);
	}
	if (info)
		fclose(info);
	return mask;
}

/* Whether nobody else can change the descriptors of the thread's process while the thread is parked. */
static bool is_alone(const struct rfs_run *run, const struct rfs_thread *thread)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i] != thread && run->threads[i]->process == thread->process && run->threads[i]->task)
			return false;
	return true;
}

bool rfs_signal_fd_in_epoll(struct rfs_run *run, struct rfs_thread *thread, int fd)
{
	struct rfs_awaited_signals *awaited = &thread->call->awaited;
	unsigned long queued = 0;

	if (!awaited->known || !is_alone(run, thread))
		awaited->mask = epoll_mask_of(run, fd);
	else if (!run->signals && awaited->quiet == run->kernel->quiet)
		return awaited->found;
	awaited->known = true;
	awaited->quiet = run->kernel->quiet;
	awaited->found =
		awaited->mask && rfs_task_queued_signals(thread->task, &queued) == 0 && (queued & awaited->mask);
	return awaited->found;
}

void rfs_signal_fd_read(struct rfs_run *run, struct rfs_thread *thread, long bytes)
{
	int fd = rfs_signal_descriptors(run) && bytes > 0 ? rfs_fd_duplicate(run, (int)thread->args[0]) : -1;
	rfs_addr at = thread->args[1] + offsetof(struct signalfd_siginfo, ssi_pid);

	if (fd < 0)
		return;
	if (is_signal_fd(fd))
		for (; bytes >= (long)sizeof(struct signalfd_siginfo);
		     bytes -= (long)sizeof(struct signalfd_siginfo), at += sizeof(struct signalfd_siginfo)) {
			uint32_t pid;

			if (!rfs_peek(run, at, &pid, sizeof(pid)))
				break;
			pid = (uint32_t)rfs_pids_shown(run, (pid_t)pid);
			(void)rfs_poke(run, at, &pid, sizeof(pid));
		}
	close(fd);
}
