/*
 * Reads and writes the code bytes of a space through /proc/PID/mem, because that file ignores the protection of memory.
 * rfs_space_poke() is the only function that writes code.
 */
#include "tracer/process/code_bytes-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"

/* Returns -1 if the kernel refuses or the task is gone. Uses of the file then fail and open it again. */
static int open_memory(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", tid);
	return open(path, O_RDWR | O_CLOEXEC);
}

void rfs_space_open(struct rfs_space *space, pid_t tid)
{
	space->mem = open_memory(tid);
}

void rfs_space_close(struct rfs_space *space)
{
	if (space->mem >= 0)
		close(space->mem);
	space->mem = -1;
}

/* Opens the file through a task that is alive. Some kernels allow writes to code only while we trace the task through
 * which the file was opened, and that task may have ended. */
static bool reopen_memory(struct rfs_space *space)
{
	int fd = space->tasks ? open_memory(space->tasks->tid) : -1;

	if (fd < 0)
		return false;
	rfs_space_close(space);
	space->mem = fd;
	return true;
}

int rfs_space_peek(struct rfs_space *space, rfs_addr address, void *buf, size_t n)
{
	ssize_t got = pread(space->mem, buf, n, (off_t)address);

	if (got < 0 && errno == EBADF && reopen_memory(space))
		got = pread(space->mem, buf, n, (off_t)address);
	if (got == (ssize_t)n)
		return 0;
	/* end of file: no task uses the address space any more */
	return got == 0 && n ? -ESRCH : -EFAULT;
}

int rfs_space_poke(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
{
	ssize_t done = pwrite(space->mem, buf, n, (off_t)address);

	space->writes++;
	if (done < 0 && reopen_memory(space))
		done = pwrite(space->mem, buf, n, (off_t)address);
	if (done == (ssize_t)n)
		return 0;
	return done == 0 && n ? -ESRCH : -EFAULT;
}

/* Writes to one more space, if it has the bytes that the first one had. */
static void poke_kin(struct rfs_space *space, rfs_addr address, const void *before, const void *buf, size_t n)
{
	void *there = malloc(n);

	if (there && !rfs_space_peek(space, address, there, n) && !memcmp(there, before, n))
		(void)!rfs_space_poke(space, address, buf, n); /* if this fails, the process has just ended */
	free(there);
}

int rfs_space_poke_all(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
{
	struct rfs_space *root = space->root ? space->root : space;
	void *before = root->kin ? malloc(n) : NULL;
	int r;

	if (!before || rfs_space_peek(space, address, before, n)) {
		free(before);
		return rfs_space_poke(space, address, buf, n);
	}
	r = rfs_space_poke(space, address, buf, n);
	if (root != space)
		poke_kin(root, address, before, buf, n);
	for (struct rfs_space *kin = root->kin; kin; kin = kin->next_kin)
		if (kin != space)
			poke_kin(kin, address, before, buf, n);
	free(before);
	return r;
}
