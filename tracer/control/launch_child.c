/*
 * launch_child.c - what the child does between fork and exec. If a step fails, the parent gets its number and errno
 * through a pipe.
 */
#include "tracer/control/launch-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The descriptors of the two pipes until execve closes them. */
#define FD_GO 3
#define FD_REPORT 4
/* Descriptors of the parent are first duplicated to this number or above. No dup3() then closes one that is still
 * needed. */
#define FD_SAFE 5

static void launch_child_tell(int fd, enum rfs_launch_step step, int error)
{
	struct rfs_launch_report report = {.step = step, .error = error};

	while (write(fd, &report, sizeof(report)) < 0 && errno == EINTR)
		;
}

static void launch_child_fail(int fd, enum rfs_launch_step step) __attribute__((noreturn));
static void launch_child_fail(int fd, enum rfs_launch_step step)
{
	launch_child_tell(fd, step, errno);
	_exit(127);
}

static void close_from(unsigned first)
{
	struct rlimit limit;

	if (!syscall(SYS_close_range, first, ~0u, 0))
		return;
	/* Linux before 5.9 lacks close_range() */
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 1 << 20)
		limit.rlim_cur = 1 << 20;
	for (unsigned fd = first; fd < limit.rlim_cur; fd++)
		close((int)fd);
}

static void arrange_descriptors(const struct rfs_launch_child *child)
{
	const int from[] = {child->launch->fd_in, child->launch->fd_out, child->launch->fd_err, child->go,
			    child->report};
	int safe[5];

	for (int i = 0; i < 5; i++) {
		safe[i] = fcntl(from[i], F_DUPFD_CLOEXEC, FD_SAFE);
		if (safe[i] < 0)
			launch_child_fail(child->report, RFS_STEP_DESCRIPTORS);
	}
	for (int i = 0; i < 5; i++) {
		/* every copy is at FD_SAFE or above, so none is overwritten here */
		if (dup3(safe[i], i, i >= FD_GO ? O_CLOEXEC : 0) < 0)
			launch_child_fail(safe[4], RFS_STEP_DESCRIPTORS);
	}
	close_from(FD_SAFE);
}

/* Resets the actions of all signals and the signal mask, because execve keeps ignored signals and the mask. The target
 * then starts as from a shell. */
static void clean_signals(void)
{
	/* struct kernel_sigaction: SIG_DFL, flags, restorer, mask */
	unsigned long dfl[4] = {0}, none = 0;

	/* the C library's wrappers refuse the two signals that it uses itself */
	for (int signo = 1; signo < NSIG; signo++)
		syscall(SYS_rt_sigaction, signo, dfl, NULL, sizeof(none));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
}

static void switch_randomisation_off(void)
{
	int persona = personality(0xffffffff);

	if (persona < 0 || personality((unsigned)persona | ADDR_NO_RANDOMIZE) < 0)
		launch_child_tell(FD_REPORT, RFS_STEP_ASLR, errno);
	else if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE))
		launch_child_tell(FD_REPORT, RFS_STEP_ASLR, EPERM);
}

static void set_limit(__rlimit_resource_t resource, unsigned long bytes)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		launch_child_fail(FD_REPORT, RFS_STEP_LIMIT);
	limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max ? bytes : limit.rlim_max;
	if (setrlimit(resource, &limit))
		launch_child_fail(FD_REPORT, RFS_STEP_LIMIT);
}

static void launch_child_pin(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		launch_child_fail(FD_REPORT, RFS_STEP_CORE);
}

static void install_filter(const struct sock_fprog *filter)
{
	/* without SECCOMP_FILTER_FLAG_SPEC_ALLOW, older kernels disable speculation for tasks with a filter, which
	 * makes the target slower */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, filter) &&
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter))
		launch_child_fail(FD_REPORT, RFS_STEP_FILTER);
}

void rfs_launch_child(const struct rfs_launch_child *child)
{
	const struct rfs_launch *launch = child->launch;
	ssize_t got;
	char byte;

	close(child->other);
	/* wait first, so that nothing below runs at the same time as the parent */
	do
		got = read(child->go, &byte, 1);
	while (got < 0);
	if (got != 1)
		_exit(127);
	clean_signals();
	setpgid(0, 0);
	arrange_descriptors(child);
	if (launch->cwd && chdir(launch->cwd))
		launch_child_fail(FD_REPORT, RFS_STEP_CHDIR);
	switch_randomisation_off();
	if (launch->trap_rdtsc && prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		launch_child_fail(FD_REPORT, RFS_STEP_TSC);
	if (launch->stack_limit)
		set_limit(RLIMIT_STACK, launch->stack_limit);
	if (launch->data_limit)
		set_limit(RLIMIT_DATA, launch->data_limit);
	if (launch->core >= 0)
		launch_child_pin(launch->core);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		launch_child_fail(FD_REPORT, RFS_STEP_PRIVILEGES);
	install_filter(&child->filter);
	execve(launch->path, launch->argv, launch->envp);
	launch_child_fail(FD_REPORT, RFS_STEP_EXEC);
}
