/*
 * directory.c - lists the contents of a directory in the order of names.
 *
 * A file system returns entries in its own order, for example by hash or by time of creation. A copy of the folder may
 * have another order. Therefore the target's first read makes rfsup read the whole directory; the target gets the
 * entries sorted by name. In /proc, names that are ids of processes are replaced by the ids that the target sees.
 *
 * rewinddir(3) and seekdir(3) set the kernel's file offset of the descriptor. rfsup leaves this offset at the end of
 * the directory. If the offset has another value at a later read, the target has set it. Offset 0 means the start, and
 * offset N means the place after entry N. The target has read N from the member d_off of that entry.
 */
#include "supervisor/kernel/ids/directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/pids_name.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/park.h"

#define BUFFER 65536

/* An entry, in the format of getdents64(2). */
struct entry {
	uint64_t d_ino;
	int64_t d_off;
	uint16_t d_reclen;
	uint8_t d_type;
	char d_name[];
};

struct rfs_directory {
	int fd; /* the target's descriptor */
	dev_t dev;
	ino_t ino;
	struct entry **entries;
	size_t n, at;
	off_t end; /* the kernel's file offset after rfsup has read everything */
};

struct rfs_directories {
	struct rfs_directory **list;
	size_t n;
};

static void forget_entries(struct rfs_directory *directory)
{
	for (size_t i = 0; i < directory->n; i++)
		free(directory->entries[i]);
	free(directory->entries);
	directory->entries = NULL;
	directory->n = directory->at = 0;
}

static int directory_by_name(const void *a, const void *b)
{
	return strcmp((*(struct entry *const *)a)->d_name, (*(struct entry *const *)b)->d_name);
}

static struct entry *plain_entry(const struct entry *entry)
{
	return memcpy(xmalloc(entry->d_reclen), entry, entry->d_reclen);
}

/* A copy of an entry in /proc, with the id that the target sees. The caller frees it. */
static struct entry *shown_entry(const struct rfs_run *run, struct rfs_task *task, const struct entry *entry)
{
	char *end, name[16];
	pid_t id = (pid_t)strtol(entry->d_name, &end, 10), shown = *end ? 0 : rfs_pids_shown(run, id);
	struct entry *copy;
	size_t size;

	snprintf(name, sizeof(name), "%d", (int)shown);
	/* a name that is not an id is not changed, and neither is an id that the target was never shown */
	if (shown <= 0 || rfs_pids_real(run, task, shown) != id)
		return plain_entry(entry);
	size = (sizeof(*copy) + strlen(name) + 1 + 7) & ~(size_t)7;
	copy = xcalloc(1, size);
	*copy = (struct entry){.d_reclen = (uint16_t)size, .d_type = entry->d_type};
	memcpy(copy->d_name, name, strlen(name));
	return copy;
}

static long directory_load(const struct rfs_run *run, struct rfs_task *task, struct rfs_directory *directory, int fd)
{
	char *buffer = xmalloc(BUFFER);
	bool proc = rfs_fd_is_proc(fd);
	long got;

	forget_entries(directory);
	while ((got = syscall(SYS_getdents64, fd, buffer, BUFFER)) > 0)
		for (long at = 0; at < got;) {
			const struct entry *entry = (const struct entry *)(buffer + at);

			directory->entries =
				xreallocarray(directory->entries, directory->n + 1, sizeof(*directory->entries));
			directory->entries[directory->n++] = proc ? shown_entry(run, task, entry) : plain_entry(entry);
			at += entry->d_reclen;
		}
	free(buffer);
	if (got < 0)
		return -errno;
	if (directory->n)
		qsort(directory->entries, directory->n, sizeof(*directory->entries), directory_by_name);
	for (size_t i = 0; i < directory->n; i++) {
		directory->entries[i]->d_off = (int64_t)i + 1;
		/* /proc assigns an inode number when a file is first looked at, so the numbers differ between runs */
		if (proc)
			directory->entries[i]->d_ino = i + 1;
	}
	directory->end = lseek(fd, 0, SEEK_CUR);
	return 0;
}

static struct rfs_directory *directory_of(struct rfs_run *run, int number, const struct stat *st)
{
	struct rfs_directories *all = run->kernel->directories;
	struct rfs_directory *directory;

	if (!all)
		all = run->kernel->directories = xcalloc(1, sizeof(*all));
	for (size_t i = 0; i < all->n; i++) {
		directory = all->list[i];
		if (directory->fd == number && directory->dev == st->st_dev && directory->ino == st->st_ino)
			return directory;
	}
	directory = xcalloc(1, sizeof(*directory));
	*directory = (struct rfs_directory){.fd = number, .dev = st->st_dev, .ino = st->st_ino};
	all->list = xreallocarray(all->list, all->n + 1, sizeof(*all->list));
	all->list[all->n++] = directory;
	return directory;
}

/* Writes the next entries to the target's buffer, as many as fit. Returns the number of bytes or -errno. */
static long hand_out(struct rfs_run *run, struct rfs_directory *directory, rfs_addr to, size_t room)
{
	size_t used = 0;

	while (directory->at < directory->n) {
		const struct entry *entry = directory->entries[directory->at];

		if (used + entry->d_reclen > room)
			break;
		if (!rfs_poke(run, to + used, entry, entry->d_reclen))
			return used ? (long)used : -EFAULT;
		used += entry->d_reclen;
		directory->at++;
	}
	return used || directory->at == directory->n ? (long)used : -EINVAL;
}

enum rfs_then rfs_directory_call(struct rfs_run *run, struct rfs_thread *thread)
{
	int fd = rfs_fd_duplicate(run, (int)thread->args[0]);
	struct rfs_directory *directory;
	struct stat st;
	off_t offset;
	long error = 0;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return RFS_THEN_UNDECIDED;
	}
	directory = directory_of(run, (int)thread->args[0], &st);
	offset = lseek(fd, 0, SEEK_CUR);
	if (offset == 0 || !directory->entries)
		error = directory_load(run, thread->task, directory, fd);
	else if (offset != directory->end)
		directory->at = (size_t)offset < directory->n ? (size_t)offset : directory->n;
	if (!error && offset != directory->end && offset != 0)
		lseek(fd, directory->end, SEEK_SET);
	close(fd);
	return rfs_syscall_answer(thread, error ? error : hand_out(run, directory, thread->args[1], thread->args[2]));
}

void rfs_directories_release(struct rfs_run *run)
{
	struct rfs_directories *all = run->kernel->directories;

	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++) {
		forget_entries(all->list[i]);
		free(all->list[i]);
	}
	free(all->list);
	free(all);
}
