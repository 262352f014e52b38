/*
 * fifo.c - whether an open of the target is for a FIFO, because only such an open may wait (fifo(7)).
 *
 * rfsup looks the name up as the thread would: from the thread's root, its working directory, or the directory of the
 * call's descriptor. rfsup reaches all three through /proc/TID. Names below /proc/self, and names in /dev that link to
 * /proc/self, would mean rfsup itself, so they are replaced by names below /proc/TID.
 */
#include "supervisor/kernel/calls/fifo.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/ids/pids_name.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/state/core/target_memory.h"
#include "tracer/tracer.h"

/* Stores a name under which rfsup finds the file that the thread calls `name`. */
static void from_outside(const struct rfs_run *run, const struct rfs_thread *thread, int folder, const char *name,
			 char *out, size_t n)
{
	static const char *const own[][2] = {
		{"/proc/self/", ""},	{"/proc/thread-self/", ""}, {"/dev/fd/", "fd/"},
		{"/dev/stdin", "fd/0"}, {"/dev/stdout", "fd/1"},    {"/dev/stderr", "fd/2"},
	};
	int tid = (int)rfs_task_tid(thread->task);
	char real[PATH_MAX];

	if (rfs_pids_name(run, thread->task, folder, name, real))
		name = real;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (strncmp(name, own[i][0], strlen(own[i][0])) == 0) {
			snprintf(out, n, "/proc/%d/%s%s", tid, own[i][1], name + strlen(own[i][0]));
			return;
		}
	if (name[0] == '/')
		snprintf(out, n, "/proc/%d/root%s", tid, name);
	else if (folder == AT_FDCWD)
		snprintf(out, n, "/proc/%d/cwd/%s", tid, name);
	else
		snprintf(out, n, "/proc/%d/fd/%d/%s", tid, folder, name);
}

bool rfs_opens_fifo(struct rfs_run *run, const struct rfs_thread *thread, unsigned long *flags)
{
	char name[PATH_MAX], path[PATH_MAX + 64];
	const struct rfs_syscall *row = thread->call->row;
	const unsigned long *args = thread->args;
	rfs_addr string = args[0];
	int folder = AT_FDCWD;
	uint64_t how = 0;
	struct stat st;

	if (row->ids & RFS_ID_NAME1) {
		folder = (int)args[0];
		string = args[1];
	}
	if (row->how) {
		*flags = args[row->how];
	} else if (thread->syscall == SYS_creat) {
		*flags = O_WRONLY | O_CREAT | O_TRUNC;
	} else { /* openat2: struct open_how begins with the flags */
		if (!rfs_peek(run, args[2], &how, sizeof(how)))
			return false;
		*flags = how;
	}
	if ((*flags & O_PATH) || !rfs_name_read(thread->task, string, name))
		return false;
	from_outside(run, thread, folder, name, path, sizeof(path));
	if (stat(path, &st) != 0) {
		if (*flags & O_CREAT)
			rfs_nondet_create(run, name);
		return false;
	}
	rfs_nondet_open(run, name, *flags, &st);
	return S_ISFIFO(st.st_mode);
}
