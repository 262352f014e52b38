/* launch.c - forks the child, follows it to its exec, and explains what failed. */
#include "tracer/control/launch-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disasm/insn/insn.h"
#include "tracer/control/control-priv.h"
#include "tracer/process/stop-priv.h"
#include "tracer/process/tracer-priv.h"
#include "tracer/stops/exec-priv.h"
#include "tracer/stops/filter-priv.h"
#include "tracer/tasks/task_life-priv.h"

static int because(char *why, size_t n, int error, const char *format, ...) __attribute__((format(printf, 4, 5)));
static int because(char *why, size_t n, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, n, format, ap);
	va_end(ap);
	return error;
}

/* The value of ptrace_scope of Yama, a security module. -1 if the kernel has no Yama. */
static int yama_scope(void)
{
	int scope = -1;
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");

	if (f) {
		if (fscanf(f, "%d", &scope) != 1)
			scope = -1;
		fclose(f);
	}
	return scope;
}

static int ptrace_refused(int error, char *why, size_t n)
{
	int scope = yama_scope();

	if (error == EPERM && scope > 2)
		return because(
			why, n, -error,
			"ptrace is refused: kernel.yama.ptrace_scope is %d, which only a reboot can change; set it "
			"to 0 or 1 in the sysctl configuration and reboot",
			scope);
	if (error == EPERM && scope == 2)
		return because(why, n, -error,
			       "ptrace is refused: kernel.yama.ptrace_scope is 2; set it to 0 or 1 with sysctl, or run "
			       "rfsup as root");
	if (error == EPERM)
		return because(why, n, -error,
			       "ptrace is refused: a container needs --cap-add=SYS_PTRACE or a seccomp profile that "
			       "allows ptrace, and no other debugger may be attached");
	return because(why, n, -error, "ptrace is refused: %s", strerror(error));
}

static int explain_exec(const struct rfs_launch *launch, int error, char *why, size_t n)
{
	if (error == ENOENT && !access(launch->path, F_OK))
		return because(why, n, -error, "cannot run %s: its interpreter does not exist", launch->path);
	if (error == ENOEXEC)
		return because(why, n, -error, "cannot run %s: this system does not support its format", launch->path);
	return because(why, n, -error, "%s: %s", launch->path, strerror(error));
}

static int launch_explain(const struct rfs_launch *launch, const struct rfs_launch_report *report, char *why, size_t n)
{
	int error = report->error;

	switch (report->step) {
	case RFS_STEP_CHDIR:
		return because(why, n, -error, "cannot enter the working directory %s: %s", launch->cwd,
			       strerror(error));
	case RFS_STEP_TSC:
		return because(why, n, -error, "cannot trap rdtsc: %s", strerror(error));
	case RFS_STEP_LIMIT:
		return because(why, n, -error, "cannot limit the program's stack or data: %s", strerror(error));
	case RFS_STEP_CORE:
		return because(why, n, -error, "cannot pin the program to core %d: %s", launch->core, strerror(error));
	case RFS_STEP_PRIVILEGES:
		return because(why, n, -error, "cannot set no_new_privs: %s", strerror(error));
	case RFS_STEP_FILTER:
		return because(why, n, -error,
			       "cannot install a seccomp filter: %s; use a kernel with CONFIG_SECCOMP_FILTER and a "
			       "container that allows seccomp",
			       strerror(error));
	case RFS_STEP_EXEC:
		return explain_exec(launch, error, why, n);
	case RFS_STEP_DESCRIPTORS:
	case RFS_STEP_ASLR:
		break;
	}
	return because(why, n, -error, "cannot set up the standard streams: %s", strerror(error));
}

/*
 * Reads all reports of the child from the pipe. Returns true and *fatal if one of them made the child give up.
 */
static bool read_reports(int fd, struct rfs_tracer_info *info, struct rfs_launch_report *fatal)
{
	struct rfs_launch_report report;
	bool found = false;

	for (;;) {
		ssize_t got = read(fd, &report, sizeof(report));

		if (got < 0 && errno == EINTR)
			continue;
		if (got != sizeof(report))
			return found;
		if (report.step == RFS_STEP_ASLR) {
			info->aslr_on = true;
		} else {
			*fatal = report;
			found = true;
		}
	}
}

/*
 * Waits until the seized child is at its execve. Returns 0 at PTRACE_EVENT_EXEC, or -ECHILD if the child has ended
 * before. Traced system calls may stop the child earlier; it is resumed from all such stops.
 */
static int follow_to_exec(pid_t pid)
{
	for (;;) {
		struct rfs_raw raw;
		int status;

		if (waitpid(pid, &status, __WALL) < 0) {
			/* of all errors, only ECHILD ends the loop. The child may have overwritten errno (see
			 * start_child()), so EINTR cannot be tested */
			if (errno != ECHILD)
				continue;
			return -ECHILD;
		}
		raw = rfs_stop_decode(status);
		if (raw.kind == RFS_RAW_EXITED || raw.kind == RFS_RAW_KILLED)
			return -ECHILD;
		if (raw.kind == RFS_RAW_EXEC)
			return 0;
		ptrace(PTRACE_CONT, pid, 0, raw.kind == RFS_RAW_SIGNAL ? raw.value : 0);
	}
}

static void launch_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

#define STACK_SIZE (64 * 1024) /* of the child, until execve */

/*
 * Starts the child. It shares our memory until execve, as after vfork. Unlike after vfork, parent and child run at the
 * same time, because the parent must seize the child. A fork would copy the page tables, and then every page that we
 * write to, which costs as much as the execve itself. The child waits until it is seized; after that, the parent only
 * waits for the child.
 *
 * *stack: the caller unmaps it when the child has executed its program or ended.
 */
#ifdef __SANITIZE_ADDRESS__ /* a fork, because AddressSanitizer must know the stack that a thread runs on */
static pid_t start_child(struct rfs_launch_child *child, void **stack)
{
	pid_t pid = fork();

	*stack = NULL;
	if (pid == 0)
		rfs_launch_child(child);
	return pid;
}
#else
static int run_child(void *arg)
{
	rfs_launch_child(arg);
}

static pid_t start_child(struct rfs_launch_child *child, void **stack)
{
	*stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (*stack == MAP_FAILED) {
		*stack = NULL;
		return -1;
	}
	return clone(run_child, (char *)*stack + STACK_SIZE, CLONE_VM | SIGCHLD, child);
}
#endif

/* Starts the child and follows it to its execve. Returns 0 and *pid, which is stopped at its PTRACE_EVENT_EXEC; or
 * -errno and a line in why. */
static int launch_start(const struct rfs_launch *launch, pid_t *pid, struct rfs_tracer_info *info, char *why, size_t n)
{
	struct rfs_launch_child child = {.launch = launch};
	struct rfs_launch_report report = {0};
	int go[2], told[2], refused, r;
	void *stack = NULL;

	r = rfs_filter_build(launch, &child.filter);
	if (r)
		return because(why, n, r, "cannot build the system call filter: %s", strerror(-r));
	if (pipe2(go, O_CLOEXEC)) {
		r = because(why, n, -errno, "cannot create a pipe: %s", strerror(errno));
		goto out_filter;
	}
	if (pipe2(told, O_CLOEXEC)) {
		r = because(why, n, -errno, "cannot create a pipe: %s", strerror(errno));
		goto out_go;
	}
	child.go = go[0];
	child.other = go[1];
	child.report = told[1];
	*pid = start_child(&child, &stack);
	if (*pid < 0) {
		r = because(why, n, -errno, "cannot start a process: %s", strerror(errno));
		goto out_told;
	}
	close(told[1]);
	told[1] = -1;
	/* both parent and child do this, because either may be first, and kill(-pid) must work from here on */
	setpgid(*pid, *pid);
	refused = ptrace(PTRACE_SEIZE, *pid, 0, RFS_PTRACE_OPTIONS) ? errno : 0;
	if (refused || write(go[1], "", 1) != 1)
		launch_reap(*pid);
	r = follow_to_exec(*pid);
	/* if the child failed early, it could not be seized either, so look at its own report first */
	if (read_reports(told[0], info, &report))
		r = launch_explain(launch, &report, why, n);
	else if (refused)
		r = ptrace_refused(refused, why, n);
	else if (r)
		because(why, n, r, "%s was killed before it started", launch->path);
out_told:
	if (stack)
		munmap(stack, STACK_SIZE);
	close(told[0]);
	if (told[1] >= 0)
		close(told[1]);
out_go:
	close(go[0]);
	close(go[1]);
out_filter:
	free(child.filter.filter);
	return r;
}

/*
 * Lets stops send no SIGCHLD if this process ignores that signal: a stop is waited for. Without this, the kernel makes
 * the signal for each stop and drops it, which takes a tenth of the time of a stop. A program that is executed does not
 * inherit this.
 */
static void stop_in_silence(void)
{
	struct sigaction action;

	if (sigaction(SIGCHLD, NULL, &action) || action.sa_handler != SIG_DFL || (action.sa_flags & SA_NOCLDSTOP))
		return;
	action.sa_flags |= SA_NOCLDSTOP;
	(void)sigaction(SIGCHLD, &action, NULL); /* an error only costs time */
}

int rfs_tracer_launch(const struct rfs_launch *launch, struct rfs_tracer **out, struct rfs_tracer_info *info, char *why,
		      size_t n)
{
	struct rfs_exec_rules rules = {
		.trap_rdtsc = launch->trap_rdtsc, .trap_cpuid = launch->trap_cpuid, .has_random = launch->random};
	struct rfs_tracer *tracer;
	struct rfs_task *task;
	int r;

	*info = (struct rfs_tracer_info){0};
	if (launch->random)
		memcpy(rules.random, launch->random, sizeof(rules.random));
	tracer = rfs_tracer_new(&rules);
	if (!tracer)
		return because(why, n, -ENOMEM, "out of memory");
	r = rfs_decoder_new(&tracer->decoder);
	if (r) {
		because(why, n, r, "cannot start the instruction decoder: %s", strerror(-r));
		goto out;
	}
	stop_in_silence();
	r = launch_start(launch, &tracer->root, info, why, n);
	if (r)
		goto out;
	tracer->pid = launch->followed ? 0 : tracer->root;
	task = rfs_task_new(tracer, tracer->root);
	r = task ? rfs_exec_present(task) : -ENOMEM;
	if (r) {
		because(why, n, r, "cannot read the memory of the new process of %s: %s", launch->path, strerror(-r));
		goto out;
	}
	*out = tracer;
	return 0;
out:
	rfs_tracer_free(tracer);
	return r;
}
