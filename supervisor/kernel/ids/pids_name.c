/*
 * pids_name.c - file names that contain ids: /proc/PID and /proc/PID/task/TID, with the ids that the target sees.
 *
 * The target makes such a name from an id that it was shown, but the kernel uses another id. So rfsup passes a name
 * with the kernel's id to the call. rfsup stores this name on the thread's stack, below the red zone. It stays there
 * until the kernel has read it. At the exit, the results of readlink(2) on /proc/self are corrected. directory.c
 * corrects the listings of folders.
 */
#include "supervisor/kernel/ids/pids_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "disasm/addr.h"
#include "supervisor/kernel/ids/pids.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* linux/magic.h */
#define PROC_FILE_SYSTEM 0x9fa0
#define PAGE 4096
/* System V ABI for x86-64, section 3.2.2. */
#define RED_ZONE 128

bool rfs_name_read(struct rfs_task *task, rfs_addr address, char name[PATH_MAX])
{
	size_t done = 0;

	/* page by page, because the next page may not be mapped */
	while (done < PATH_MAX) {
		size_t n = PAGE - (address + done) % PAGE;

		if (n > PATH_MAX - done)
			n = PATH_MAX - done;
		if (rfs_space_read(rfs_task_space(task), address + done, name + done, n) != 0)
			return false;
		if (memchr(name + done, '\0', n))
			return true;
		done += n;
	}
	return false;
}

bool rfs_fd_is_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_FILE_SYSTEM;
}

static bool folder_is_proc(struct rfs_task *task, int folder)
{
	struct statfs fs;
	char path[64];

	if (folder == AT_FDCWD)
		snprintf(path, sizeof(path), "/proc/%d/cwd", (int)rfs_task_tid(task));
	else
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)rfs_task_tid(task), folder);
	return statfs(path, &fs) == 0 && fs.f_type == PROC_FILE_SYSTEM;
}

/* The kernel's id for a component of a name. 0: the target was not shown this id. */
static pid_t pids_name_id_of(const struct rfs_run *run, struct rfs_task *task, const char *component, size_t n)
{
	unsigned long shown;
	char *end;

	/* the kernel accepts only digits, without a leading zero */
	if (n == 0 || n > 9 || component[0] < '1' || component[0] > '9')
		return 0;
	shown = strtoul(component, &end, 10);
	return end == component + n ? rfs_pids_real(run, task, (pid_t)shown) : 0;
}

bool rfs_pids_name(const struct rfs_run *run, struct rfs_task *task, int folder, const char *name, char out[PATH_MAX])
{
	bool absolute = name[0] == '/', found = false, place = true;
	size_t used = absolute ? strlen("/proc/") : 0;
	const char *at = name + used;

	if (absolute && strncmp(name, "/proc/", used) != 0)
		return false;
	memcpy(out, name, used);
	/* the first component may be an id, and so may a component after "task" */
	for (size_t n, slashes; *at && used < PATH_MAX; at += n + slashes) {
		pid_t id;

		n = strcspn(at, "/");
		slashes = strspn(at + n, "/");
		id = place ? pids_name_id_of(run, task, at, n) : 0;
		if (n)
			place = n == 4 && memcmp(at, "task", n) == 0;
		found |= id != 0;
		used += (size_t)(id ? snprintf(out + used, PATH_MAX - used, "%d%.*s", (int)id, (int)slashes, at + n)
				    : snprintf(out + used, PATH_MAX - used, "%.*s", (int)(n + slashes), at));
	}
	return found && used < PATH_MAX && (absolute || folder_is_proc(task, folder));
}

bool rfs_name_put(struct rfs_task *task, const char *name, rfs_addr *address)
{
	const size_t n = strlen(name) + 1;
	const rfs_addr below = (rfs_task_regs(task)->rsp - RED_ZONE - n) & ~(rfs_addr)7;

	if (rfs_space_write(rfs_task_space(task), below, name, n) != 0)
		return false;
	*address = below;
	return true;
}

bool rfs_pids_put_name(const struct rfs_run *run, struct rfs_task *task, int folder, rfs_addr *address)
{
	char name[PATH_MAX], real[PATH_MAX];

	return rfs_name_read(task, *address, name) && rfs_pids_name(run, task, folder, name, real) &&
	       rfs_name_put(task, real, address);
}

bool rfs_pids_is_own_link(struct rfs_task *task, rfs_addr address)
{
	char name[PATH_MAX];

	return rfs_name_read(task, address, name) &&
	       (strcmp(name, "/proc/self") == 0 || strcmp(name, "/proc/thread-self") == 0);
}

long rfs_pids_put_link(const struct rfs_run *run, struct rfs_task *task, rfs_addr to, size_t room, long got)
{
	int pid, tid, parts;
	char text[64] = "";

	if (got <= 0 || (size_t)got >= sizeof(text) || rfs_space_read(rfs_task_space(task), to, text, (size_t)got) != 0)
		return got;
	parts = sscanf(text, "%d/task/%d", &pid, &tid);
	if (parts == 1)
		got = snprintf(text, sizeof(text), "%d", (int)rfs_pids_shown(run, pid));
	else if (parts == 2)
		got = snprintf(text, sizeof(text), "%d/task/%d", (int)rfs_pids_shown(run, pid),
			       (int)rfs_pids_shown(run, tid));
	if ((size_t)got > room)
		got = (long)room;
	return rfs_space_write(rfs_task_space(task), to, text, (size_t)got) == 0 ? got : -EFAULT;
}
