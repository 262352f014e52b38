#include "supervisor/campaign/decisions/sleeping_forever.h"

#include <ctype.h>
#include <dirent.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* for the size of XXH64_state_t */
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/process.h"

/* Looks that must see the same: together two seconds, in which a busy machine lets every runnable thread run. */
#define LOOKS 5

struct process {
	pid_t pid, parent;
	bool ours;
};

#define PIPES_MAX 16

struct look {
	XXH64_state_t hash;
	bool waits; /* a thread waits in futex(2), or for a pipe */
	struct stat pipes[PIPES_MAX];
	size_t n_pipes; /* that threads wait for */
};

/* Reads the beginning of /proc/PID/NAME; "" if there is none. */
static void sleeping_forever_read_text(pid_t pid, const char *name, char *text, size_t size)
{
	char path[128];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "re");
	if (file) {
		n = fread(text, 1, size - 1, file);
		fclose(file);
	}
	text[n] = '\0';
}

/* ---- what a process has ---- */

/* A line of the file that has the word; for files of any length. */
static bool sleeping_forever_has_word(pid_t pid, const char *name, const char *word)
{
	char path[64], line[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, word) != NULL;
	if (file)
		fclose(file);
	return found;
}

static bool catches_timers(pid_t pid)
{
	char text[8192], *line;
	unsigned long long caught;

	sleeping_forever_read_text(pid, "status", text, sizeof(text));
	line = strstr(text, "SigCgt:");
	if (!line || sscanf(line, "SigCgt: %llx", &caught) != 1)
		return true;
	return caught >> (SIGALRM - 1) & 1 || caught >> (SIGVTALRM - 1) & 1 || caught >> (SIGPROF - 1) & 1;
}

static bool may_be_woken(pid_t pid)
{
	char text[64];

	sleeping_forever_read_text(pid, "timers", text, sizeof(text));
	return text[0] || catches_timers(pid) || sleeping_forever_has_word(pid, "maps", " rw-s ");
}

/* ---- what a thread waits for ---- */

static bool futex_for_good(unsigned long operation, unsigned long timeout)
{
	if (timeout)
		return false;
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

/* Notes the pipe that the thread waits for. False if the descriptor is no pipe. */
static bool waits_for_pipe(pid_t pid, unsigned long fd, struct look *look)
{
	struct stat *pipe = &look->pipes[look->n_pipes];
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%lu", (int)pid, fd);
	if (look->n_pipes == PIPES_MAX || stat(path, pipe) || !S_ISFIFO(pipe->st_mode))
		return false;
	look->n_pipes++;
	look->waits = true;
	return true;
}

/* text: /proc/PID/task/TID/syscall, a number and arguments in hexadecimal. */
static bool sleeping_forever_sleeps(pid_t pid, const char *text, struct look *look)
{
	unsigned long args[4];
	long number;

	if (sscanf(text, "%ld %lx %lx %lx %lx", &number, &args[0], &args[1], &args[2], &args[3]) != 5)
		return false;
	if (number == SYS_wait4 || number == SYS_waitid)
		return true;
	if (number == SYS_read || number == SYS_write || number == SYS_readv || number == SYS_writev)
		return waits_for_pipe(pid, args[0], look);
	if (number != SYS_futex || !futex_for_good(args[1], args[3]))
		return false;
	look->waits = true;
	return true;
}

static bool process_sleeps(pid_t pid, struct look *look)
{
	char path[64], name[64], text[512];
	struct dirent *entry;
	bool all = true;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return false;
	while (all && (entry = readdir(tasks))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(name, sizeof(name), "task/%.20s/syscall", entry->d_name);
		sleeping_forever_read_text(pid, name, text, sizeof(text));
		all = sleeping_forever_sleeps(pid, text, look);
		XXH64_update(&look->hash, text, strlen(text));
		/* how long the thread ran, and how often it was given a core */
		snprintf(name, sizeof(name), "task/%.20s/schedstat", entry->d_name);
		sleeping_forever_read_text(pid, name, text, sizeof(text));
		XXH64_update(&look->hash, text, strlen(text));
	}
	closedir(tasks);
	return all;
}

/* ---- all processes below the caller ---- */

/* Caller frees. */
static struct process *list_processes(size_t *n)
{
	DIR *proc = opendir("/proc");
	struct process *list = NULL;
	struct dirent *entry;

	*n = 0;
	while (proc && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		list = xreallocarray(list, *n + 1, sizeof(*list));
		list[(*n)++] = (struct process){.pid = pid, .parent = rfs_process_parent(pid)};
	}
	if (proc)
		closedir(proc);
	return list;
}

static void mark_ours(struct process *list, size_t n)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			bool below = list[i].parent == getpid();

			for (size_t k = 0; k < n && !below; k++)
				below = list[k].ours && list[k].pid == list[i].parent;
			more |= below && !list[i].ours;
			list[i].ours |= below;
		}
	}
}

/* Whether the process has one of the pipes open. */
static bool has_pipe(pid_t pid, const struct look *look)
{
	bool found = false;

	for (size_t i = 0; i < look->n_pipes && !found; i++)
		found = rfs_process_has_open(pid, &look->pipes[i], NULL, NULL);
	return found;
}

static bool all_sleep(struct look *look)
{
	size_t n;
	struct process *list = list_processes(&n);
	bool all = true;

	mark_ours(list, n);
	for (size_t i = 0; i < n && all; i++)
		if (list[i].ours)
			all = process_sleeps(list[i].pid, look) && !may_be_woken(list[i].pid);
	for (size_t i = 0; i < n && all; i++)
		all = list[i].ours || !has_pipe(list[i].pid, look);
	free(list);
	return all && look->waits;
}

bool rfs_sleeping_forever(struct rfs_asleep *asleep)
{
	struct look look = {.waits = false};
	uint64_t seen;

	XXH64_reset(&look.hash, 0);
	if (!all_sleep(&look)) {
		asleep->looks = 0;
		return false;
	}
	seen = XXH64_digest(&look.hash);
	asleep->looks = asleep->looks && asleep->seen == seen ? asleep->looks + 1 : 1;
	asleep->seen = seen;
	return asleep->looks >= LOOKS;
}
