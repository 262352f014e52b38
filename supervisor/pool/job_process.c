/* job_process.c - runs in a job: prepares the process, makes the run, and sends the reply. */
#include "supervisor/pool/job_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/tree.h"
#include "supervisor/pool/load_driver.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

/* Milliseconds between two checks of a setup command with a time limit. */
#define SETUP_TICK_MS 5

char *rfs_job_file(const struct rfs_pool_settings *settings, const char *name, const char *suffix)
{
	return xasprintf("%s/%s.%s", settings->output, name, suffix);
}

char *rfs_job_input(const struct rfs_pool_settings *settings, const char *name)
{
	return xasprintf("%s/%s.input", settings->records, name);
}

char *rfs_job_fresh(const struct rfs_run_job *job, unsigned slot)
{
	/* the path must have the same length for all slots, because its length moves the target's stack */
	return xasprintf("%s/%03u", job->fresh_root, slot);
}

static int job_process_open_output(const struct rfs_pool_settings *settings, const char *name, const char *suffix,
				   int *fd, char *why, size_t n)
{
	char *path = rfs_job_file(settings, name, suffix);
	int error = 0;

	*fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (*fd < 0)
		error = rfs_why(why, n, -errno, "%s: %s", path, strerror(errno));
	free(path);
	return error;
}

/*
 * If there is no output folder, the target's output goes to a memory file, and pass_on() copies it to our output after
 * the run. The output must go to a file because it did so in the recorded run. A program buffers and blocks differently
 * if its output is a terminal or pipe, so the replay would diverge.
 */
static int open_passing(int *fd, char *why, size_t n)
{
	*fd = memfd_create("output", MFD_CLOEXEC);
	if (*fd < 0 || fcntl(*fd, F_SETFL, O_APPEND) != 0)
		return rfs_why(why, n, -errno, "cannot create a memory file for the program's output: %s",
			       strerror(errno));
	return 0;
}

/* A file like the ones of job_process_open_output() that nobody reads: another kind of file could change how the
 * program runs. */
static int open_nameless(const struct rfs_pool_settings *settings, int *fd, char *why, size_t n)
{
	*fd = open(settings->output, O_WRONLY | O_TMPFILE | O_APPEND | O_CLOEXEC, 0600);
	return *fd < 0 ? open_passing(fd, why, n) : 0;
}

static void pass_on(int from, int to)
{
	char buf[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, buf, sizeof(buf), at)) > 0) {
		at += n;
		for (ssize_t sent = 0; sent < n;) {
			ssize_t got = write(to, buf + sent, (size_t)(n - sent));

			if (got < 0 && errno != EINTR)
				return;
			sent += got > 0 ? got : 0;
		}
	}
}

/* The second pass of a detector. The files of the execution are those of the first pass. */
static bool is_repetition(const struct rfs_run_spec *spec)
{
	return spec->detector_blob;
}

static int job_process_open_files(const struct rfs_pool_settings *settings, struct rfs_execution *execution, char *why,
				  size_t n)
{
	struct rfs_run_spec *spec = &execution->spec;
	const char *in = spec->job.stdin_path ? spec->job.stdin_path : "/dev/null";
	int error;

	spec->process.fd_in = open(in, O_RDONLY | O_CLOEXEC);
	if (spec->process.fd_in < 0)
		return rfs_why(why, n, -errno, "%s: %s", in, strerror(errno));
	if (settings->output && is_repetition(spec)) {
		error = open_nameless(settings, &spec->process.fd_out, why, n);
		return error ? error : open_nameless(settings, &spec->process.fd_err, why, n);
	}
	if (!settings->output) {
		error = open_passing(&spec->process.fd_out, why, n);
		return error ? error : open_passing(&spec->process.fd_err, why, n);
	}
	error = job_process_open_output(settings, execution->name, "out", &spec->process.fd_out, why, n);
	return error ? error : job_process_open_output(settings, execution->name, "err", &spec->process.fd_err, why, n);
}

static void __attribute__((noreturn)) execute_setup(const char *command, const struct rfs_run_process *process)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (process->cwd && chdir(process->cwd))
		_exit(127);
	dup2(process->fd_in, STDIN_FILENO);
	dup2(process->fd_out, STDOUT_FILENO);
	dup2(process->fd_err, STDERR_FILENO);
	execle("/bin/sh", "sh", "-c", command, (char *)NULL, process->envp);
	_exit(127);
}

/* Runs the setup command to its end and reaps it before the run. Otherwise ptrace's wait would report the command. */
static int run_setup(const char *command, const struct rfs_run_spec *spec, char *why, size_t n)
{
	double end = spec->limits.timeout > 0 ? rfs_clock() + spec->limits.timeout : 0;
	pid_t pid = fork(), got;
	int status;

	if (pid < 0)
		return rfs_why(why, n, -errno, "cannot start the --setup command: %s", strerror(errno));
	if (pid == 0)
		execute_setup(command, &spec->process);
	while ((got = waitpid(pid, &status, end > 0 ? WNOHANG : 0)) == 0) {
		struct pollfd cancel = {.fd = spec->cancel_fd, .events = POLLIN};

		if (rfs_clock() > end || poll(&cancel, 1, SETUP_TICK_MS) > 0) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return rfs_why(why, n, -ETIMEDOUT, "the --setup command did not end in time: %s", command);
		}
	}
	if (got < 0)
		return rfs_why(why, n, -errno, "cannot wait for the --setup command: %s", strerror(errno));
	if (WIFSIGNALED(status))
		return rfs_why(why, n, -EIO, "the --setup command was killed by signal %d: %s", WTERMSIG(status),
			       command);
	if (WEXITSTATUS(status))
		return rfs_why(why, n, -EIO, "the --setup command failed with status %d: %s", WEXITSTATUS(status),
			       command);
	return 0;
}

static int ready(const struct rfs_pool_settings *settings, struct rfs_execution *execution, unsigned slot, char *why,
		 size_t n)
{
	struct rfs_run_spec *spec = &execution->spec;
	int error = job_process_open_files(settings, execution, why, n);

	if (!error && spec->job.fresh_dir) {
		/* not freed: lives as long as the process */
		char *copy = rfs_job_fresh(&spec->job, slot);

		spec->process.cwd = copy;
		error = rfs_tree_copy(spec->job.fresh_dir, copy, why, n);
	}
	/* not freed: lives as long as the process */
	if (!error && settings->records && spec->policy && !spec->input.in && !is_repetition(spec))
		spec->input.out = rfs_job_input(settings, execution->name);
	if (!error && spec->job.setup)
		error = run_setup(spec->job.setup, spec, why, n);
	if (!error && settings->prepare)
		error = settings->prepare(settings->arg, execution, why, n);
	return error;
}

/* A debugger goes back in time: the run begins again, with everything as it was. */
static int begin_again(const struct rfs_pool_settings *settings, struct rfs_execution *execution, unsigned slot,
		       struct rfs_reply *reply, char *why, size_t n)
{
	const struct rfs_run_spec *spec = &execution->spec;

	rfs_run_result_release(&reply->result);
	close(spec->process.fd_in);
	close(spec->process.fd_out);
	close(spec->process.fd_err);
	return ready(settings, execution, slot, why, n);
}

static void send_reply(const struct rfs_reply *reply, int fd)
{
	uint8_t *bytes;
	size_t n;

	rfs_wire_encode(reply, &bytes, &n);
	(void)!rfs_wire_send(fd, bytes, n);
	free(bytes);
}

void rfs_job_process(const struct rfs_pool_settings *settings, rfs_run_fn *run, struct rfs_execution *execution,
		     unsigned slot, pid_t parent, int fd)
{
	struct rfs_load_driver drive = {.fd = -1};
	struct rfs_reply reply = {0};
	char why[1024] = "";

	/*
	 * SIGTERM, not SIGKILL, because a baseline run must first end its processes. The processes of a controlled run
	 * die with their tracer in either case.
	 */
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	if (getppid() != parent)
		_exit(1);
	rfs_interrupt_reset();
	/*
	 * the job leaves the terminal's process group: only the campaign's process gets Ctrl-C, and it tells the jobs
	 * through cancel_fd
	 */
	setpgid(0, 0);
	reply.error = ready(settings, execution, slot, why, sizeof(why));
	/* if the input is recorded, no load driver is needed */
	if (!reply.error && execution->spec.job.drive && !execution->spec.input.in) {
		reply.error = rfs_load_driver_start(execution->spec.job.drive, &execution->spec.process, &drive, why,
						    sizeof(why));
		execution->spec.driven = true;
		execution->spec.drive_fd = drive.fd;
	}
	if (!reply.error)
		reply.error = run(&execution->spec, &reply.result, why, sizeof(why));
	while (!reply.error && reply.result.end == RFS_END_RESTART && reply.result.restart == RFS_RESTART_DEBUGGER) {
		reply.error = begin_again(settings, execution, slot, &reply, why, sizeof(why));
		if (!reply.error)
			reply.error = run(&execution->spec, &reply.result, why, sizeof(why));
	}
	rfs_load_driver_end(&drive);
	if (!reply.error && !settings->output) {
		pass_on(execution->spec.process.fd_out, STDOUT_FILENO);
		pass_on(execution->spec.process.fd_err, STDERR_FILENO);
	}
	if (reply.error)
		reply.why = why;
	send_reply(&reply, fd);
	_exit(0);
}
