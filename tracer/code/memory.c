/*
 * memory.c - process_vm_readv(2) and /proc/PID/mem. What is read is the program's own code, without the breakpoints
 * and patches in it.
 */
#include "tracer/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utlist.h>

#include "disasm/addr.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/memory-priv.h"
#include "tracer/code/patch-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"

typedef ssize_t transfer(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long,
			 unsigned long);

/*
 * Moves bytes through the first task of the space that still has its memory. A task that is ending has none (ESRCH).
 * Returns how many bytes were moved, or -errno.
 */
static ssize_t move_bytes(struct rfs_space *space, transfer *how, rfs_addr address, void *buf, size_t n)
{
	const struct iovec here = {.iov_base = buf, .iov_len = n};
	const struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = n};
	struct rfs_task *task;
	ssize_t r = -ESRCH;

	DL_FOREACH2(space->tasks, task, space_next)
	{
		r = how(task->tid, &here, 1, &there, 1, 0);
		if (r >= 0)
			return r;
		r = -errno;
		if (r != -ESRCH)
			break;
	}
	return r;
}

/* In what was read, replaces the bytes of breakpoints and patches by the program's own. Breakpoints are first, because
 * they are on top of patches. */
static void hide(struct rfs_space *space, rfs_addr address, void *buf, size_t n)
{
	rfs_breakpoint_hide(space, address, buf, n);
	rfs_patches_hide(space, address, buf, n);
}

int rfs_space_read(struct rfs_space *space, rfs_addr address, void *buf, size_t n)
{
	ssize_t got;

	if (!n)
		return 0;
	got = move_bytes(space, process_vm_readv, address, buf, n);
	if (got >= 0 && got != (ssize_t)n)
		return -EFAULT;
	if (got == -EFAULT)
		return -EFAULT;
	/* the target made itself undumpable, or all its tasks are ending. /proc/PID/mem still works if it is open
	 * already */
	if (got < 0 && rfs_space_peek(space, address, buf, n))
		return got == -EPERM ? -EFAULT : (int)got;
	hide(space, address, buf, n);
	return 0;
}

size_t rfs_space_read_pieces(struct rfs_space *space, const struct rfs_piece *pieces, size_t n)
{
	struct iovec here[RFS_PIECES_MAX], there[RFS_PIECES_MAX];
	struct rfs_task *task = space->tasks;
	size_t whole = 0;
	ssize_t got;

	if (!task || !n)
		return 0;
	if (n > RFS_PIECES_MAX)
		n = RFS_PIECES_MAX;
	for (size_t i = 0; i < n; i++) {
		here[i] = (struct iovec){.iov_base = pieces[i].buf, .iov_len = pieces[i].n};
		there[i] = (struct iovec){.iov_base = (void *)(uintptr_t)pieces[i].address, .iov_len = pieces[i].n};
	}
	/* /proc/PID/mem ignores the protection of memory. What is read must not depend on how it is read. */
	got = process_vm_readv(task->tid, here, n, there, n, 0);
	for (; whole < n && got >= (ssize_t)pieces[whole].n; whole++) {
		got -= (ssize_t)pieces[whole].n;
		hide(space, pieces[whole].address, pieces[whole].buf, pieces[whole].n);
	}
	return whole;
}

/* Writes n bytes without overwriting breakpoints: a byte at a breakpoint becomes the byte that the breakpoint hides. */
static int write_around(struct rfs_space *space, rfs_addr address, const unsigned char *from, size_t n)
{
	unsigned char piece[512];

	while (n) {
		size_t part = n < sizeof(piece) ? n : sizeof(piece);
		ssize_t done;

		memcpy(piece, from, part);
		rfs_breakpoint_cover(space, address, piece, part);
		done = move_bytes(space, process_vm_writev, address, piece, part);
		if (done != (ssize_t)part)
			return done < 0 ? (int)done : -EFAULT;
		rfs_breakpoint_replace(space, address, from, part);
		from += part;
		address += part;
		n -= part;
	}
	return 0;
}

uint64_t rfs_space_writes(const struct rfs_space *space)
{
	return space->writes;
}

int rfs_space_write(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
{
	ssize_t done;

	rfs_addr start, end;

	if (!n)
		return 0;
	space->writes++;
	/* the stubs contain copies of the old instructions, so the patches are removed */
	if (rfs_patches_count(space) &&
	    (rfs_patch_at(space, address, &start, &end) || rfs_patch_at(space, address + n - 1, &start, &end)))
		rfs_patches_remove(space, address, address + n);
	if (rfs_breakpoint_near(space, address, n))
		return write_around(space, address, buf, n);
	done = move_bytes(space, process_vm_writev, address, (void *)buf, n);
	if (done == -EPERM) /* the target is undumpable, see rfs_space_read() */
		return rfs_space_poke(space, address, buf, n);
	if (done < 0)
		return (int)done;
	return done == (ssize_t)n ? 0 : -EFAULT;
}

size_t rfs_space_read_mapped(struct rfs_space *space, rfs_addr address, void *buf, size_t n)
{
	while (n > 0 && rfs_space_read(space, address, buf, n))
		n--;
	return n;
}

int rfs_space_read_string(struct rfs_space *space, rfs_addr address, char *buf, size_t n)
{
	size_t have = 0;

	if (!n)
		return 0;
	/* page by page, because the next page may be unmapped */
	while (have < n - 1) {
		size_t part = RFS_PAGE - (address + have) % RFS_PAGE;
		char *end;
		int r;

		if (part > n - 1 - have)
			part = n - 1 - have;
		r = rfs_space_read(space, address + have, buf + have, part);
		if (r) {
			buf[have] = '\0';
			return r;
		}
		end = memchr(buf + have, '\0', part);
		if (end)
			return 0;
		have += part;
	}
	buf[n - 1] = '\0';
	return 0;
}

bool rfs_mapping_parse(const char *line, struct rfs_mapping *out)
{
	char flags[5];
	int path = 0;

	if (sscanf(line, "%lx-%lx %4s %*x %*x:%*x %*u %n", &out->start, &out->end, flags, &path) < 3 || !path)
		return false;
	out->read = flags[0] == 'r';
	out->write = flags[1] == 'w';
	out->exec = flags[2] == 'x';
	out->shared = flags[3] == 's';
	snprintf(out->path, sizeof(out->path), "%s", line + path);
	out->path[strcspn(out->path, "\n")] = '\0';
	return true;
}

bool rfs_space_mapping(struct rfs_space *space, rfs_addr address, struct rfs_mapping *out)
{
	char path[64], line[sizeof(out->path) + 128];
	bool found = false;
	FILE *f;

	if (!space->tasks)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/maps", space->tasks->tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = rfs_mapping_parse(line, out) && address >= out->start && address < out->end;
	fclose(f);
	return found;
}
