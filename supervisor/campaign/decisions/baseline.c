/* baseline.c - starts the program without control, waits for it with a limit, and counts how its runs ended. */
#include "supervisor/campaign/decisions/baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/asleep/sleeping_forever.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/core.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/pool/subreaper.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/follow.h"
#include "tracer/onlooker.h"

static double children_cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 + usage.ru_stime.tv_sec +
	       usage.ru_stime.tv_usec / 1e6;
}

/* Moves the descriptor fd to the number `to`; both may be equal. */
static bool place_fd(int fd, int to)
{
	if (fd == to)
		return fcntl(fd, F_SETFD, 0) == 0;
	return dup2(fd, to) >= 0;
}

/*
 * What the child does before it executes the program. If a step fails, the child writes errno to error_fd for the
 * parent. The child waits until the parent closes go_fd. With --follow, the parent attaches to the child before it
 * closes go_fd.
 */
static void __attribute__((noreturn))
baseline_execute(const struct rfs_run_spec *spec, const sigset_t *mask, int error_fd, int go_fd)
{
	char byte;

	int fds[3] = {spec->process.fd_in, spec->process.fd_out, spec->process.fd_err}, error;

	/*
	 * The descriptors get the numbers 0, 1 and 2. One descriptor may now have the number that another descriptor
	 * will get. So all are first moved above 2.
	 */
	for (int i = 0; i < 3; i++) {
		if (fds[i] < 3)
			fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
		if (fds[i] < 0)
			goto fail;
	}
	if (error_fd < 3)
		error_fd = fcntl(error_fd, F_DUPFD_CLOEXEC, 3);
	for (int i = 0; i < 3; i++)
		if (!place_fd(fds[i], i))
			goto fail;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	rfs_core_pin(spec->core);
	if (spec->process.cwd && chdir(spec->process.cwd))
		goto fail;
	/*
	 * The target must not inherit the caller's open descriptors. Kernels before Linux 5.11 refuse the call, which
	 * is harmless: rfsup opens its own descriptors close-on-exec.
	 */
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	sigprocmask(SIG_SETMASK, mask, NULL);
	while (read(go_fd, &byte, 1) < 0 && errno == EINTR)
		;
	execve(spec->process.path, spec->process.argv, spec->process.envp);
fail:
	error = errno;
	if (write(error_fd, &error, sizeof(error)) != sizeof(error))
		_exit(127);
	_exit(127);
}

/* Starts the child and executes the program in it. 0, or -errno of what failed in the child. */
static int baseline_start(const struct rfs_run_spec *spec, const struct rfs_onlooker *watch, const sigset_t *mask,
			  pid_t *pid)
{
	int ends[2], go[2], error = 0, refused = 0;
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	if (pipe2(go, O_CLOEXEC)) {
		error = errno;
		close(ends[0]);
		close(ends[1]);
		return -error;
	}
	*pid = fork();
	if (*pid < 0) {
		error = errno;
		close(go[0]);
		close(go[1]);
		close(ends[0]);
		close(ends[1]);
		return -error;
	}
	if (*pid == 0) {
		close(go[1]);
		baseline_execute(spec, mask, ends[1], go[0]);
	}
	close(ends[1]);
	close(go[0]);
	if (watch->executes)
		refused = rfs_onlooker_seize(watch, *pid);
	if (refused)
		kill(*pid, SIGKILL);
	close(go[1]);
	do
		got = read(ends[0], &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	close(ends[0]);
	if (got == sizeof(error) || refused) {
		waitpid(*pid, NULL, __WALL);
		return refused ? refused : -error;
	}
	return 0;
}

/* Handles all child processes that have ended or stopped, including orphans. True if the target itself has ended. */
static bool baseline_reap(pid_t target, struct rfs_onlooker *watch, int *status)
{
	int s;
	pid_t pid;

	while ((pid = waitpid(-1, &s, WNOHANG | __WALL)) > 0) {
		rfs_onlooker_take(watch, pid, s);
		if (pid == target && !WIFSTOPPED(s)) {
			*status = s;
			return true;
		}
	}
	return false;
}

static enum rfs_run_end supervise(const struct rfs_run_spec *spec, pid_t target, struct rfs_onlooker *watch,
				  int signals, struct rfs_run_result *out)
{
	double end = spec->limits.timeout > 0 ? rfs_clock() + spec->limits.timeout : 0;
	struct pollfd fds[3] = {
		{.fd = signals, .events = POLLIN},
		{.fd = spec->cancel_fd, .events = POLLIN},
		{.fd = spec->driven ? spec->drive_fd : -1, .events = POLLIN},
	};
	struct signalfd_siginfo info;
	struct rfs_asleep asleep = {0};
	double look = rfs_clock() + RFS_SLEEPING_FOREVER_SECONDS;
	int status;

	while (!baseline_reap(target, watch, &status)) {
		double now = rfs_clock(), left = end ? end - now : 3600;

		if (left <= 0)
			return RFS_END_TIMEOUT;
		/* a load driver can wake a thread in ways that are not seen, such as a signal */
		if (now >= look && !spec->driven && rfs_sleeping_forever(&asleep, RFS_SLEEPING_FOREVER_LOOKS, 0)) {
			out->detail = RFS_BASELINE_ASLEEP;
			return RFS_END_TIMEOUT;
		}
		if (now >= look)
			look = now + RFS_SLEEPING_FOREVER_SECONDS;
		if (look - now < left)
			left = look - now;
		/* poll() ignores a negative descriptor */
		if (poll(fds, 3, left > 3600 ? 3600000 : (int)(left * 1000) + 1) < 0 && errno != EINTR)
			return RFS_END_CANCELLED;
		if (fds[1].revents)
			return RFS_END_CANCELLED;
		if (fds[2].revents) {
			/* the load driver has ended, so the target must end too */
			kill(watch->found ? watch->found : target, SIGTERM);
			out->told_to_end = true;
			fds[2].fd = -1;
		}
		while (read(signals, &info, sizeof(info)) == sizeof(info))
			if (info.ssi_signo == SIGTERM)
				return RFS_END_CANCELLED;
	}
	/*
	 * With --follow the target is a wrapper around the followed program. If that program failed, its status
	 * counts, because the wrapper may change it. If it did not fail, the status of the wrapper counts.
	 */
	if (watch->gone && watch->status != 0)
		status = watch->status;
	if (WIFSIGNALED(status)) {
		out->detail = WTERMSIG(status);
		return RFS_END_SIGNAL;
	}
	out->detail = WEXITSTATUS(status);
	return RFS_END_EXIT;
}

static bool executes(void *follow, const char *file)
{
	return rfs_follow_matches(follow, file);
}

int rfs_baseline_watch(const struct rfs_run_spec *spec, struct rfs_onlooker *watch, struct rfs_run_result *out,
		       char *why, size_t n)
{
	sigset_t ours, before;
	double started = rfs_clock(), cpu = children_cpu_seconds();
	pid_t target = -1;
	int error, signals;

	memset(out, 0, sizeof(*out));
	error = rfs_subreaper_adopt();
	if (error)
		return rfs_why(why, n, error, "cannot track the processes of an uncontrolled run: %s",
			       strerror(-error));
	sigemptyset(&ours);
	sigaddset(&ours, SIGCHLD);
	/*
	 * The parent sends SIGTERM, or the kernel does when the parent has died. SIGTERM must not end this process
	 * before the descendants are killed.
	 */
	sigaddset(&ours, SIGTERM);
	sigprocmask(SIG_BLOCK, &ours, &before);
	signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0) {
		error = -errno;
		rfs_why(why, n, error, "cannot wait for the processes of an uncontrolled run: %s", strerror(-error));
		goto unblock;
	}
	error = baseline_start(spec, watch, &before, &target);
	if (error) {
		rfs_why(why, n, error, "cannot run %s: %s", spec->process.path, strerror(-error));
		goto close_signals;
	}
	out->end = supervise(spec, target, watch, signals, out);
	kill(-target, SIGKILL);
	/* a process that an onlooker wants to see at its end would stop there once more */
	if (!watch->ends)
		rfs_subreaper_kill(NULL, 0);
	out->costs.wall_seconds = rfs_clock() - started;
	out->costs.cpu_seconds = children_cpu_seconds() - cpu;
close_signals:
	close(signals);
unblock:
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

int rfs_baseline_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	struct rfs_follow follow = {.glob = spec->follow};
	struct rfs_onlooker watch = {.executes = spec->follow ? executes : NULL, .arg = &follow};
	int error = rfs_baseline_watch(spec, &watch, out, why, n);

	if (!error && spec->follow && !watch.found && (out->end == RFS_END_EXIT || out->end == RFS_END_SIGNAL))
		error = rfs_follow_missed(&follow, spec->process.argv, why, n);
	rfs_follow_release(&follow);
	return error;
}

/* ---- struct rfs_baseline ---- */

static void count_signature(struct rfs_baseline *baseline, const struct rfs_signature *signature)
{
	for (size_t i = 0; i < baseline->n_seen; i++)
		if (rfs_signature_equal(&baseline->seen[i].signature, signature)) {
			baseline->seen[i].runs++;
			return;
		}
	baseline->seen = xreallocarray(baseline->seen, baseline->n_seen + 1, sizeof(*baseline->seen));
	baseline->seen[baseline->n_seen].signature = *signature;
	baseline->seen[baseline->n_seen++].runs = 1;
}

void rfs_baseline_add(struct rfs_baseline *baseline, const struct rfs_run_result *result)
{
	struct rfs_signature signature;

	if (!rfs_run_conclusive(result)) {
		baseline->timeouts++;
		baseline->asleep += result->detail == RFS_BASELINE_ASLEEP;
		return;
	}
	baseline->runs++;
	if (rfs_run_failed(result, &signature)) {
		baseline->failures++;
		count_signature(baseline, &signature);
	}
	if (result->costs.cpu_seconds > baseline->cpu_seconds)
		baseline->cpu_seconds = result->costs.cpu_seconds;
	if (result->costs.wall_seconds > baseline->wall_seconds)
		baseline->wall_seconds = result->costs.wall_seconds;
}

bool rfs_baseline_always(const struct rfs_baseline *baseline, const struct rfs_signature *signature)
{
	/* a run that timed out did not show the failure */
	if (baseline->runs == 0 || baseline->timeouts)
		return false;
	for (size_t i = 0; i < baseline->n_seen; i++)
		if (rfs_signature_equal(&baseline->seen[i].signature, signature))
			return baseline->seen[i].runs == baseline->runs;
	return false;
}

bool rfs_baseline_fails(const struct rfs_baseline *baseline)
{
	return baseline->failures && baseline->failures == baseline->runs;
}

const struct rfs_signature *rfs_baseline_crash(const struct rfs_baseline *baseline)
{
	const struct rfs_signature *most = NULL;
	uint64_t runs = 0;

	for (size_t i = 0; i < baseline->n_seen; i++)
		if (baseline->seen[i].runs > runs) {
			most = &baseline->seen[i].signature;
			runs = baseline->seen[i].runs;
		}
	return most;
}

void rfs_baseline_release(struct rfs_baseline *baseline)
{
	free(baseline->seen);
	memset(baseline, 0, sizeof(*baseline));
}
