/*
 * server_check.c - checks that a program did nothing before main that its copies would not have.
 *
 * A copy has the memory, the open files and the signal actions of the original, but another process id. A copy does not
 * have the original's other threads, timers, pending signals, memory locks or asynchronous input and output. If a file
 * is open in the original and in its copies, they share one file position. An effect outside the process happens only
 * once, not once for each execution.
 *
 * rfs_server_check() finds some of this when the target is stopped at main. rfs_server_syscall() finds the rest when
 * the program makes a system call: the server's filter stops at more calls than the filter of an ordinary run.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/base/error.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/object_calls.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/server/server-priv.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

/* Nothing that is written to /dev/null has an effect. A program may open it to silence a library. */
static bool opens_null(const struct rfs_run *run, const struct rfs_stop *stop)
{
	static const char null[] = "/dev/null";
	char path[sizeof(null)];

	return (stop->number == SYS_open || stop->number == SYS_openat) &&
	       rfs_peek(run, stop->args[stop->number == SYS_openat], path, sizeof(path)) &&
	       memcmp(path, null, sizeof(null)) == 0;
}

bool rfs_server_syscall(struct rfs_run *run, const struct rfs_stop *stop)
{
	const struct rfs_syscall *row = rfs_syscall_row(stop->number);

	if (row->not_copied && !run->served.telling && (!row->not_copied_if || row->not_copied_if(stop->args)) &&
	    !opens_null(run, stop))
		run->served.telling = row->not_copied;
	return row->kind == RFS_SYSCALL_SERVER && !rfs_object_calls_followed(run->spec);
}

/* True if descriptors other than standard input, output and error are open. */
static bool server_check_open_files(pid_t pid)
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
 * True if there is memory that copies would share and can write to (flag sh), or that is empty (flag wf) or missing
 * (flag dc) in a copy. proc(5) lists the flags. MADV_WIPEONFORK and MADV_DONTFORK of madvise(2) set wf and dc.
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
		/* the first line of an entry; lines with names and values follow */
		if (sscanf(line, "%lx-", &start) == 1 && line[strcspn(line, "-:")] == '-')
			ours = rfs_stub_buffer_hold(space, start);
		for (size_t i = 0; !ours && strncmp(line, "VmFlags:", 8) == 0 && i < sizeof(special) / sizeof(*special);
		     i++)
			found |= strstr(line, special[i]) != NULL;
	}
	fclose(maps);
	return found;
}

/* True if a signal is pending, blocked or not. */
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

	if (run->served.telling)
		return rfs_why(why, n, -ENOTSUP, "before main, the program %s", run->served.telling);
	if (getpgid(pid) != pid || getsid(pid) != getsid(0))
		return rfs_why(why, n, -ENOTSUP, "the program changes its process group or session before main");
	if (run->n_threads != 1 || run->n_children || rfs_pids_count(run) != 1)
		return rfs_why(why, n, -ENOTSUP, "the program starts threads or processes before main");
	if (run->threads[0]->sync.n_holds || run->sync.barriers || run->sync.semaphores)
		return rfs_why(why, n, -ENOTSUP, "the program holds a lock or uses semaphores or barriers before main");
	if (rfs_timers_any(run) || run->signals || pending_signals(pid))
		return rfs_why(why, n, -ENOTSUP, "the program starts a timer or sends signals before main");
	if (run->result->nondet.kinds || lseek(spec->process.fd_in, 0, SEEK_CUR) > 0)
		return rfs_why(why, n, -ENOTSUP, "the program reads its input before main");
	if (has_written(spec->process.fd_out) || has_written(spec->process.fd_err))
		return rfs_why(why, n, -ENOTSUP, "the program writes output before main");
	if (server_check_open_files(pid))
		return rfs_why(why, n, -ENOTSUP, "the program opens files before main and keeps them open");
	if (special_memory(pid, rfs_run_space(run)))
		return rfs_why(why, n, -ENOTSUP,
			       "the program has memory that fork(2) does not copy: shared mappings, or mappings "
			       "excluded with madvise(2)");
	return 0;
}
