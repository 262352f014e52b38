/* watch.c - looks at the threads and pages of the process, to tell one that waits forever from one that works. */
#include "supervisor/generate/driver/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_MS 10000 /* the longest wait */
#define CPU_MS 2000	 /* the most CPU time of the process; its memory is limited elsewhere */
#define SPIN_MS 20	 /* and without more memory; most tests need less than a millisecond */
#define LOOK_MS 10	 /* time between two looks at the process */
#define STILL_MS 3	 /* a process that uses less of this time only waits */

static long ms_of(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) ? -1 : now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether the thread sleeps. */
static bool thread_sleeps(pid_t pid, const char *thread)
{
	char path[64], text[512];
	const char *name_end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", (int)pid, thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	name_end = strrchr(text, ')'); /* the name of the program may have blanks */
	return name_end && strncmp(name_end, ") S", 3) == 0;
}

/* Whether all threads of the process sleep. On a busy machine, one that can run may use no time between two looks. */
static bool watch_sleeps(pid_t pid)
{
	char path[64];
	const struct dirent *entry;
	bool asleep = true;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return false;
	while ((entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			asleep &= thread_sleeps(pid, entry->d_name);
	closedir(threads);
	return asleep;
}

/* The memory of the process, in pages. */
static long watch_pages_of(pid_t pid)
{
	char path[64];
	long pages = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	in = fopen(path, "re");
	if (in) {
		(void)!fscanf(in, "%*d %ld", &pages);
		fclose(in);
	}
	return pages;
}

/* Whether the process has ended or stopped. */
static bool watch_has_changed(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

/* What was seen of a process at the last look. */
struct seen {
	long cpu_ms, pages;
	long grown_ms; /* its CPU time when it had got more memory */
	bool slept;
};

/*
 * Looks at the process, which has used so much CPU time. False: it must be killed. Wall time says little on a busy
 * machine. A process that sleeps twice, and has used almost no CPU time between, waits for something that never
 * happens. One that runs and gets no more memory is most often in a loop without an end, such as along a list that is
 * a circle.
 */
static bool watch_look_at(pid_t pid, long cpu_ms, struct seen *seen)
{
	const bool slept = watch_sleeps(pid), waits = slept && seen->slept && cpu_ms - seen->cpu_ms < STILL_MS;
	const long pages = watch_pages_of(pid);

	if (pages > seen->pages)
		seen->grown_ms = cpu_ms;
	seen->slept = slept;
	seen->cpu_ms = cpu_ms;
	seen->pages = pages;
	return !waits && cpu_ms - seen->grown_ms < SPIN_MS && cpu_ms < CPU_MS;
}

bool rfs_driver_watch(pid_t pid)
{
	const struct timespec look = {0, LOOK_MS * 1000000};
	const long end = ms_of(CLOCK_MONOTONIC) + LONGEST_MS;
	struct seen seen = {.pages = 0}; /* what it has at the first look, which may come late, counts as more */
	bool in_time = true;
	clockid_t cpu;
	sigset_t ended;
	long first;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	if (clock_getcpuclockid(pid, &cpu))
		return true; /* it has ended */
	first = ms_of(cpu);
	while (in_time && !watch_has_changed(pid)) {
		if (sigtimedwait(&ended, NULL, &look) >= 0 || errno != EAGAIN)
			continue;
		in_time = watch_look_at(pid, ms_of(cpu) - first, &seen) && ms_of(CLOCK_MONOTONIC) < end;
	}
	return in_time;
}
