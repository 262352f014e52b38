/* target_fd.c - our duplicates of the target's descriptors. */
#include "supervisor/kernel/descriptors/target_fd.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/process.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/descriptors/input_fd.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

struct rfs_pidfds {
	int *list; /* of process 0 (the program), 1, 2, ... (family.h); -1: not open */
	unsigned n;
};

pid_t rfs_fd_owner(const struct rfs_run *run)
{
	return run->turn && run->turn->task ? rfs_task_pid(run->turn->task) : rfs_tracer_pid(run->tracer);
}

/* -1: the process has ended. */
static int pidfd_of_owner(struct rfs_run *run)
{
	const unsigned process = run->turn && run->turn->task ? run->turn->process : 0;
	struct rfs_pidfds *pidfds = run->kernel->pidfds;

	if (!pidfds)
		pidfds = run->kernel->pidfds = xcalloc(1, sizeof(*pidfds));
	for (; pidfds->n <= process; pidfds->n++) {
		pidfds->list = xreallocarray(pidfds->list, pidfds->n + 1, sizeof(*pidfds->list));
		pidfds->list[pidfds->n] = -1;
	}
	if (pidfds->list[process] < 0)
		pidfds->list[process] = (int)syscall(SYS_pidfd_open, rfs_fd_owner(run), 0);
	return pidfds->list[process];
}

int rfs_fd_duplicate(struct rfs_run *run, int fd)
{
	const int pidfd = pidfd_of_owner(run);

	return pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
}

int rfs_fd_duplicate_from(pid_t pid, int fd)
{
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	const int copy = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);

	if (process >= 0)
		close(process);
	return copy;
}

void rfs_target_fd_release(struct rfs_run *run)
{
	struct rfs_pidfds *pidfds = run->kernel->pidfds;

	if (!pidfds)
		return;
	for (unsigned i = 0; i < pidfds->n; i++)
		if (pidfds->list[i] >= 0)
			close(pidfds->list[i]);
	free(pidfds->list);
	free(pidfds);
	run->kernel->pidfds = NULL;
}

bool rfs_fd_is_anonymous(int fd, const char *kind)
{
	char *name = rfs_process_descriptor(getpid(), fd);
	const bool is = name && strcmp(name, kind) == 0;

	free(name);
	return is;
}

FILE *rfs_fd_info(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return fopen(path, "re");
}

/* The loop is needed because signals to rfsup, such as that of the timer in run/pump.c, can interrupt any poll. */
bool rfs_fd_polls(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do
		n = poll(&p, 1, 0);
	while (n < 0 && errno == EINTR);
	return n != 0;
}

bool rfs_fd_readable(int fd)
{
	return rfs_fd_polls(fd, POLLIN);
}

static bool may_wait(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISCHR(st.st_mode))
		return isatty(fd) || rfs_fd_is_device(fd);
	return !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISBLK(st.st_mode);
}

int rfs_fd_duplicate_waiting(struct rfs_run *run, int descriptor)
{
	int fd = descriptor < 0 ? -1 : rfs_fd_duplicate(run, descriptor);

	if (fd >= 0 && !may_wait(fd)) {
		close(fd);
		return -1;
	}
	return fd;
}
