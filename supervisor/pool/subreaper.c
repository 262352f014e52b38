/* subreaper.c - kills the children in rounds until none is left, except for those that are kept. */
#include "supervisor/pool/subreaper.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/base/process.h"

#define ROUND_NANOSECONDS 2000000L
#define ROUNDS 1000 /* all rounds together take two seconds */

static pid_t spared; /* 0: none */

void rfs_subreaper_spare(pid_t child)
{
	spared = child;
}

int rfs_subreaper_adopt(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) ? -errno : 0;
}

static bool subreaper_is_in(pid_t pid, const pid_t *keep, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (keep[i] == pid)
			return true;
	return false;
}

/*
 * Kills every child that is not in keep, and reaps the children that are dead. Returns how many children it found that
 * are not in keep.
 */
static size_t kill_round(const pid_t *keep, size_t n)
{
	pid_t self = getpid();
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	size_t found = 0;

	if (!proc)
		return 0;
	while ((entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (!isdigit((unsigned char)entry->d_name[0]) || rfs_process_parent(pid) != self)
			continue;
		if (pid == spared || subreaper_is_in(pid, keep, n))
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, WNOHANG | __WALL);
		found++;
	}
	closedir(proc);
	return found;
}

size_t rfs_subreaper_kill(const pid_t *keep, size_t n)
{
	const struct timespec pause = {.tv_nsec = ROUND_NANOSECONDS};
	size_t left = 0;

	for (int round = 0; round < ROUNDS; round++) {
		/* usually there is no child at all, and this one call shows that */
		if (n == 0 && !spared && waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD)
			return 0;
		/* the orphans of a killed child become our children, so rounds are repeated until one finds no child */
		left = kill_round(keep, n);
		if (left == 0)
			return 0;
		nanosleep(&pause, NULL);
	}
	return left;
}
