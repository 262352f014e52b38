/* What /proc and the process clocks say of a task. */
#include "tracer/process/proc-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>

#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"

/* Reads the start of a small file as a string. Returns how many bytes were read, or -ESRCH if the task is gone. */
static ssize_t slurp(const char *path, char *buf, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -ESRCH;
	got = read(fd, buf, n - 1);
	close(fd);
	if (got <= 0)
		return -ESRCH;
	buf[got] = '\0';
	return got;
}

static unsigned long hex_after(const char *text, const char *label)
{
	const char *at = strstr(text, label);

	return at ? strtoul(at + strlen(label), NULL, 16) : 0;
}

static int signals(const struct rfs_task *task, unsigned long *queued, unsigned long *blocked)
{
	char path[64], text[4096];
	ssize_t got;

	*queued = *blocked = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", task->tid);
	got = slurp(path, text, sizeof(text));
	if (got < 0)
		return (int)got;
	*queued = hex_after(text, "\nSigPnd:") | hex_after(text, "\nShdPnd:");
	*blocked = hex_after(text, "\nSigBlk:");
	return 0;
}

int rfs_task_pending_signals(struct rfs_task *task, unsigned long *mask)
{
	unsigned long blocked;
	int r = signals(task, mask, &blocked);

	*mask &= ~blocked;
	return r;
}

int rfs_task_queued_signals(struct rfs_task *task, unsigned long *mask)
{
	unsigned long blocked;

	return signals(task, mask, &blocked);
}

int rfs_task_blocked_signals(struct rfs_task *task, unsigned long *mask)
{
	unsigned long queued;

	return signals(task, &queued, mask);
}

pid_t rfs_task_parent(const struct rfs_task *task)
{
	char path[64], text[4096];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", task->pid);
	if (slurp(path, text, sizeof(text)) < 0)
		return 0;
	at = strstr(text, "\nPPid:");
	return at ? (pid_t)strtol(at + sizeof("\nPPid:") - 1, NULL, 10) : 0;
}

int rfs_process_file(pid_t pid, char *path, size_t n)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	length = readlink(link, path, n - 1);
	if (length < 0)
		return -errno;
	path[length] = '\0';
	return 0;
}

/* Whether the task stays in its job-control stop. /proc shows it like any other stopped task. waitid() finds out
 * whether the kernel has another stop to report. */
static bool rests_in_group_stop(const struct rfs_task *task)
{
	siginfo_t news = {0};

	return task->listening &&
	       waitid(P_PID, (id_t)task->tid, &news, WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
	       news.si_pid == 0;
}

/* Reads /proc/PID/syscall: "NUMBER ARGUMENTS...", "-1 ..." outside of a call, or "running" (proc(5)). */
static bool read_syscall(const struct rfs_task *task, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/syscall", task->tid);
	return slurp(path, text, size) >= 0;
}

/*
 * A task that is about to sleep sets its state first, and then checks once more whether it must sleep
 * (set_current_state() in the kernel's sources). It may lose its core in between, and then only seems to sleep. A read
 * of /proc/PID/syscall waits until the task has left the run queue. If the task does not leave it, the file says
 * "running".
 */
static bool only_seems_to_sleep(const struct rfs_task *task)
{
	char text[512];

	return read_syscall(task, text, sizeof(text)) && strncmp(text, "running", 7) == 0;
}

char rfs_task_state(const struct rfs_task *task)
{
	char path[64], text[512], state;
	const char *name_end;

	if (task->state == RFS_TASK_GONE)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", task->tid);
	if (slurp(path, text, sizeof(text)) < 0)
		return 0;
	/* the name may contain any character, even ")" */
	name_end = strrchr(text, ')');
	state = name_end && name_end[1] == ' ' ? name_end[2] : '\0';
	if ((state == 'S' || state == 'D') && only_seems_to_sleep(task))
		return 'R';
	return state == 't' && rests_in_group_stop(task) ? 'T' : state;
}

long rfs_task_syscall(const struct rfs_task *task, unsigned long args[6])
{
	char text[512], *end;
	long number;

	if (args)
		memset(args, 0, 6 * sizeof(*args));
	if (!read_syscall(task, text, sizeof(text)))
		return -1;
	number = strtol(text, &end, 10);
	if (end == text)
		return -1;
	for (size_t i = 0; args && i < 6; i++)
		args[i] = strtoul(end, &end, 16);
	return number;
}

double rfs_process_cpu_seconds(pid_t pid)
{
	/* the value that clock_getcpuclockid() returns (CPUCLOCK_SCHED in linux/posix-timers_types.h). It is computed
	 * here to save a system call at the end of every thread */
	const clockid_t clock = (clockid_t)(~(unsigned)pid << 3 | 2);
	struct timespec used;

	if (clock_gettime(clock, &used))
		return 0;
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

double rfs_tracer_cpu_seconds(const struct rfs_tracer *tracer)
{
	double sum = tracer->cpu_gone;
	struct rfs_task *task, *next;

	HASH_ITER (hh, tracer->tasks, task, next) {
		double used;

		if (task->tid != task->pid)
			continue;
		/* a process that is ending has no clock any more: use the value from the last exit of one of its
		 * threads */
		used = rfs_process_cpu_seconds(task->pid);
		sum += used > task->cpu ? used : task->cpu;
	}
	return sum;
}
