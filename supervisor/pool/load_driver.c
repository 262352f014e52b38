/* load_driver.c - a process that starts the command, waits for it, and passes on its status through a pipe. */
#include "supervisor/pool/load_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/error.h"
#include "supervisor/record/run_spec.h"

static void __attribute__((noreturn)) load_driver_execute(const char *command, const struct rfs_run_process *process)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (process->cwd && chdir(process->cwd))
		_exit(127);
	dup2(null, STDIN_FILENO);
	dup2(process->fd_err, STDOUT_FILENO);
	dup2(process->fd_err, STDERR_FILENO);
	execle("/bin/sh", "sh", "-c", command, (char *)NULL, process->envp);
	_exit(127);
}

/*
 * Starts the command and waits for it. fd is the write end of a pipe. When the command has ended, its wait status is
 * written to the pipe. The pipe closes when this process ends. The parent of this process exits at once, so the
 * subreaper reaps this process (subreaper.h).
 *
 * This process closes all other descriptors of the job. If the job is killed, the command may still be running. The
 * pool waits until nobody can write to the job's pipe any more.
 */
static void __attribute__((noreturn))
load_driver_watch(const char *command, const struct rfs_run_process *process, int fd)
{
	pid_t self = getpid(), pid;
	int status = W_EXITCODE(127, 0);

	setpgid(0, 0);
	if (write(fd, &self, sizeof(self)) != sizeof(self))
		_exit(127);
	pid = fork();
	if (pid == 0) {
		close(fd);
		load_driver_execute(command, process);
	}
	if (fd > 0)
		close_range(0, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0u, 0);
	if (pid > 0)
		waitpid(pid, &status, 0);
	(void)!write(fd, &status, sizeof(status));
	_exit(0);
}

int rfs_load_driver_start(const char *command, const struct rfs_run_process *process, struct rfs_load_driver *out,
			  char *why, size_t n)
{
	int ends[2], status;
	pid_t middle;

	*out = (struct rfs_load_driver){.fd = -1};
	if (pipe2(ends, O_CLOEXEC))
		return rfs_why(why, n, -errno, "cannot start the --drive command: %s", strerror(errno));
	middle = fork();
	if (middle == 0) {
		close(ends[0]);
		if (fork() == 0)
			load_driver_watch(command, process, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (middle < 0 || waitpid(middle, &status, 0) != middle ||
	    read(ends[0], &out->group, sizeof(out->group)) != sizeof(out->group)) {
		close(ends[0]);
		return rfs_why(why, n, -ECHILD, "cannot start the --drive command: %s", command);
	}
	out->fd = ends[0];
	return 0;
}

void rfs_load_driver_end(struct rfs_load_driver *drive)
{
	if (drive->fd < 0)
		return;
	kill(-drive->group, SIGKILL);
	close(drive->fd);
	drive->fd = -1;
}
