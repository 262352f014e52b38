#include "tracer/tracer-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* -1 if it is refused or the task is gone: then its users fail. */
static int open_memory(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", tid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static struct rfs_space *allocate(struct rfs_tracer *tracer)
{
	struct rfs_space *space = calloc(1, sizeof(*space));

	if (space) {
		space->tracer = tracer;
		space->mem = -1;
	}
	return space;
}

int rfs_space_new(struct rfs_task *task, struct rfs_space **out)
{
	struct rfs_space *space = allocate(task->tracer);

	if (!space)
		return -ENOMEM;
	space->mem = open_memory(task->tid);
	*out = space;
	return 0;
}

void rfs_space_put(struct rfs_space *space)
{
	if (--space->references)
		return;
	rfs_unwind_release(space);
	rfs_modules_release(space);
	rfs_breakpoints_release(space);
	rfs_slot_release_all(space);
	rfs_patches_release(space);
	rfs_arena_release(space);
	rfs_stub_buffer_release(space);
	if (space->mem >= 0)
		close(space->mem);
	free(space);
}

int rfs_space_fork(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
{
	int r = rfs_space_new(child, out);

	if (r)
		return r;
	/* the pages were copied with everything else */
	(*out)->gate = parent->gate;
	(*out)->trampolines = parent->trampolines;
	rfs_breakpoint_uncover(parent, *out);
	rfs_patches_uncover(parent, *out);
	child->foreign_gs = parent->records != NULL;
	return 0;
}

int rfs_space_copy(const struct rfs_task *original, struct rfs_task *copy, struct rfs_space **out)
{
	const struct rfs_space *from = original->space;
	struct rfs_space *space = allocate(copy->tracer);
	int r;

	if (!space)
		return -ENOMEM;
	space->gate = from->gate;
	space->trampolines = from->trampolines;
	r = rfs_slots_copy(from, space);
	if (!r)
		r = rfs_breakpoints_copy(from, space);
	if (!r)
		r = rfs_patches_copy(from, space);
	if (!r)
		r = rfs_stub_buffer_copy(original, copy, space);
	if (!r)
		r = rfs_modules_copy(from, space);
	rfs_arenas_lend(from, space);
	rfs_unwind_share(from, space);
	if (r) {
		space->references = 1;
		rfs_space_put(space);
		return r;
	}
	*out = space;
	return 0;
}

/* Some kernels let only the tracer of the task that the file was opened through write to code: that task may have
 * ended. */
static bool reopen_memory(struct rfs_space *space)
{
	int fd = space->tasks ? open_memory(space->tasks->tid) : -1;

	if (fd < 0)
		return false;
	if (space->mem >= 0)
		close(space->mem);
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

	if (done < 0 && reopen_memory(space))
		done = pwrite(space->mem, buf, n, (off_t)address);
	if (done == (ssize_t)n)
		return 0;
	return done == 0 && n ? -ESRCH : -EFAULT;
}
