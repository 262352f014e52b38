/*
 * server_check.c - what a program may not have done before main if copies of it are to stand for the program itself.
 *
 * A copy has the memory, the open files and the signal actions of the original, under another process id. It has not
 * its other threads, its timers, its pending signals, its locks on memory, its asynchronous input and output; files
 * that are open in both share one position; and what the original did outside of itself is done once, not once an
 * execution. What leaves traces is looked for at main; what leaves none is seen when it is asked for, because the
 * server's filter stops at more system calls than a run's.
 */
#include "supervisor/server/server_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/kernel/syscalls.h"
#include "supervisor/server/server-priv.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "tracer/patch.h"
#include "tracer/tracer.h"

static bool writes(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
}

static bool open_writes(const unsigned long *args)
{
	return writes((int)args[1]);
}

static bool openat_writes(const unsigned long *args)
{
	return writes((int)args[2]);
}

static bool death_signal(const unsigned long *args)
{
	return args[0] == PR_SET_PDEATHSIG;
}

/* None of them is rare in a program's start only to be frequent later, as copies stop at them too. matters: NULL:
 * whatever the arguments are. */
static const struct {
	int number;
	const char *what;
	bool (*matters)(const unsigned long *args);
} telling[] = {
	{SYS_open, "opens a file for writing", open_writes},
	{SYS_openat, "opens a file for writing", openat_writes},
	{SYS_openat2, "opens a file for writing", NULL},
	{SYS_creat, "creates a file", NULL},
	{SYS_mknod, "creates a file", NULL},
	{SYS_mknodat, "creates a file", NULL},
	{SYS_mkdir, "creates a directory", NULL},
	{SYS_mkdirat, "creates a directory", NULL},
	{SYS_rmdir, "removes a directory", NULL},
	{SYS_unlink, "removes a file", NULL},
	{SYS_unlinkat, "removes a file", NULL},
	{SYS_rename, "renames a file", NULL},
	{SYS_renameat, "renames a file", NULL},
	{SYS_renameat2, "renames a file", NULL},
	{SYS_link, "links a file", NULL},
	{SYS_linkat, "links a file", NULL},
	{SYS_symlink, "links a file", NULL},
	{SYS_symlinkat, "links a file", NULL},
	{SYS_truncate, "truncates a file", NULL},
	{SYS_chmod, "changes a file", NULL},
	{SYS_fchmodat, "changes a file", NULL},
	{SYS_chown, "changes a file", NULL},
	{SYS_fchownat, "changes a file", NULL},
	{SYS_utimensat, "changes a file", NULL},
	{SYS_socket, "uses sockets", NULL},
	{SYS_socketpair, "uses sockets", NULL},
	{SYS_signalfd, "creates a signalfd", NULL},
	{SYS_signalfd4, "creates a signalfd", NULL},
	{SYS_io_setup, "uses asynchronous input and output", NULL},
	{SYS_shmget, "uses System V memory", NULL},
	{SYS_semget, "uses System V semaphores", NULL},
	{SYS_msgget, "uses System V messages", NULL},
	{SYS_mlock, "locks memory", NULL},
	{SYS_mlock2, "locks memory", NULL},
	{SYS_mlockall, "locks memory", NULL},
	{SYS_prctl, "asks for a signal when its parent ends", death_signal},
};
#define TELLING (sizeof(telling) / sizeof(*telling))

/* Runs stop at it as well. */
static bool is_traced(int number)
{
	for (const int *traced = rfs_syscalls_traced; *traced >= 0; traced++)
		if (*traced == number)
			return true;
	return false;
}

int *rfs_server_syscalls(void)
{
	size_t n = 0;
	int *all;

	while (rfs_syscalls_traced[n] >= 0)
		n++;
	all = xcalloc(n + TELLING + 1, sizeof(*all));
	memcpy(all, rfs_syscalls_traced, n * sizeof(*all));
	for (size_t i = 0; i < TELLING; i++)
		if (!is_traced(telling[i].number))
			all[n++] = telling[i].number;
	all[n] = -1;
	return all;
}

bool rfs_server_syscall(struct rfs_run *run, const struct rfs_stop *stop)
{
	for (size_t i = 0; i < TELLING; i++) {
		if (telling[i].number != stop->number)
			continue;
		if (!run->telling && (!telling[i].matters || telling[i].matters(stop->args)))
			run->telling = telling[i].what;
		return !is_traced(telling[i].number);
	}
	return false;
}

static int __attribute__((format(printf, 3, 4))) because(char *why, size_t n, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, n, format, ap);
	va_end(ap);
	return -ENOTSUP;
}

/* Descriptors beside the three. */
static bool open_files(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	if (!folder)
		return true;
	while (!found && (entry = readdir(folder)))
		found = entry->d_name[0] != '.' && atoi(entry->d_name) > STDERR_FILENO;
	closedir(folder);
	return found;
}

/*
 * Memory that changes in one copy would change in all (sh: may be written and is shared), or that a copy gets empty or
 * not at all (wf, dc: madvise(2), MADV_WIPEONFORK and MADV_DONTFORK). The flags are those of proc(5).
 */
static bool special_memory(pid_t pid, const struct rfs_space *space)
{
	static const char *const special[] = {" sh", " wf", " dc"};
	char path[64], line[4352];
	bool found = false, ours = false;
	unsigned long start;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/smaps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return true;
	while (!found && fgets(line, sizeof(line), maps)) {
		/* the head of an entry, before its lines of names and values */
		if (sscanf(line, "%lx-", &start) == 1 && line[strcspn(line, "-:")] == '-')
			ours = rfs_stub_buffer_hold(space, start);
		for (size_t i = 0; !ours && strncmp(line, "VmFlags:", 8) == 0 && i < sizeof(special) / sizeof(*special);
		     i++)
			found |= strstr(line, special[i]) != NULL;
	}
	fclose(maps);
	return found;
}

/* Blocked ones too. */
static bool pending_signals(pid_t pid)
{
	char path[64], line[256];
	unsigned long mask, all = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "re");
	if (!status)
		return true;
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "SigPnd: %lx", &mask) == 1 || sscanf(line, "ShdPnd: %lx", &mask) == 1)
			all |= mask;
	fclose(status);
	return all != 0;
}

static bool has_written(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

int rfs_server_check(const struct rfs_run *run, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	pid_t pid = rfs_tracer_pid(run->tracer);

	if (run->telling)
		return because(why, n, "the program %s before main", run->telling);
	if (getpgid(pid) != pid || getsid(pid) != getsid(0))
		return because(why, n, "the program changes its process group or session before main");
	if (run->n_threads != 1 || run->n_foreign || run->n_pids != 1)
		return because(why, n, "the program starts threads or processes before main");
	if (run->threads[0]->n_holds || run->barriers || run->semaphores)
		return because(why, n, "the program holds a lock or uses semaphores or barriers before main");
	if (run->n_timers || run->signals || pending_signals(pid))
		return because(why, n, "the program starts a timer or sends signals before main");
	if (run->result->outside || lseek(spec->fd_in, 0, SEEK_CUR) > 0)
		return because(why, n, "the program reads its input before main");
	if (has_written(spec->fd_out) || has_written(spec->fd_err))
		return because(why, n, "the program writes output before main");
	if (open_files(pid))
		return because(why, n, "the program opens files before main and keeps them open");
	if (special_memory(pid, rfs_run_space(run)))
		return because(why, n, "the program has memory that its copies would share or lack");
	return 0;
}
