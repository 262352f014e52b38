/*
 * object_touches.c - finds the objects in the arguments of a call: files by descriptor or name, processes and memory.
 * It reads the target and /proc, and changes nothing.
 */
#include "supervisor/kernel/object_touches.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/process.h"
#include "supervisor/kernel/core/call_effect.h"
#include "supervisor/kernel/ids/pids_name.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

#define READS RFS_ACCESS_READ
#define WRITES RFS_ACCESS_WRITE
/* Commutes with itself. */
#define UPDATES (RFS_ACCESS_READ | RFS_ACCESS_WRITE | RFS_ACCESS_ATOMIC)
/* Commutes too, and the call does not tell its caller what was there before. */
#define ADDS (RFS_ACCESS_WRITE | RFS_ACCESS_ATOMIC)

/* As many links in a row as the kernel follows. */
#define LINKS_MOST 40
/* Of a longer read or write, the first bytes. A conflict elsewhere in the same two calls is one of these as well. */
#define BYTES_MOST 4096
/* A file that is larger is not followed beyond this. */
#define OFFSET_MOST (UINT64_C(1) << 39)

struct touching {
	struct rfs_run *run;
	const struct rfs_thread *thread;
	const unsigned long *args;
	long number;
	struct rfs_object_touch *out;
	size_t n;
};

static void object_touches_add(struct touching *t, const struct rfs_kernel_object *object, const char *words,
			       unsigned access, uint64_t offset, uint64_t size)
{
	const rfs_addr address = t->n < RFS_OBJECT_TOUCHES ? rfs_kernel_object(t->run, object, words) : 0;

	if (address)
		t->out[t->n++] = (struct rfs_object_touch){object->kind, address + offset, size,
							   access | RFS_ACCESS_CALL |
								   (unsigned)(t->number + 1) << RFS_ACCESS_CALL_SHIFT};
}

static void on_process(struct touching *t, enum rfs_kernel_object_kind kind, unsigned access)
{
	const struct rfs_kernel_object object = {.kind = kind};

	object_touches_add(t, &object,
			   kind == RFS_OBJECT_FOLDER ? "the working folder of the process" : "the umask of the process",
			   access, 0, 1);
}

/* The file has this name in messages. */
static void touch_file(struct touching *t, enum rfs_kernel_object_kind kind, const struct stat *st, const char *name,
		       unsigned access)
{
	static const char *const words[RFS_OBJECT_KINDS] = {
		[RFS_OBJECT_SIZE] = "the end",
		[RFS_OBJECT_EXTENT] = "the content",
		[RFS_OBJECT_ATTRIBUTES] = "the attributes",
	};
	const struct rfs_kernel_object object = {.kind = kind, .device = st->st_dev, .inode = st->st_ino};
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "%s of file %.3000s", words[kind], name);
	object_touches_add(t, &object, text, access, 0, 1);
}

/* ---- descriptors ---- */

/* An open regular file of the target. */
struct open_file {
	int fd;
	struct stat st;
	char name[PATH_MAX]; /* from the working folder, if it is below that */
	uint64_t position;
	bool appends;
};

static bool read_info(int tid, struct open_file *file)
{
	char path[64], line[128];
	unsigned flags = 0;
	unsigned long long position = 0;
	bool known = false;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", tid, file->fd);
	info = fopen(path, "re");
	while (info && !known && fgets(line, sizeof(line), info)) {
		if (sscanf(line, "pos: %llu", &position) == 1)
			continue;
		known = sscanf(line, "flags: %o", &flags) == 1;
	}
	if (info)
		fclose(info);
	file->position = position;
	file->appends = flags & O_APPEND;
	return known;
}

static void name_file(int tid, struct open_file *file)
{
	char link[64], folder[PATH_MAX];
	ssize_t n, below;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", tid, file->fd);
	n = readlink(link, file->name, sizeof(file->name) - 1);
	file->name[n < 0 ? 0 : n] = '\0';
	file->name[rfs_path_without_mark(file->name)] = '\0';
	snprintf(link, sizeof(link), "/proc/%d/cwd", tid);
	below = readlink(link, folder, sizeof(folder) - 1);
	if (below > 1 && n > below + 1 && strncmp(file->name, folder, (size_t)below) == 0 && file->name[below] == '/')
		memmove(file->name, file->name + below + 1, (size_t)(n - below));
}

static bool open_file_of(const struct touching *t, int fd, struct open_file *file)
{
	const int tid = (int)rfs_task_tid(t->thread->task);
	char path[64];

	*file = (struct open_file){.fd = fd};
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	if (fd < 0 || stat(path, &file->st) != 0 || !S_ISREG(file->st.st_mode) || !read_info(tid, file))
		return false;
	name_file(tid, file);
	return true;
}

static void touch_content(struct touching *t, const struct open_file *file, unsigned access, uint64_t from, uint64_t n)
{
	const struct rfs_kernel_object object = {
		.kind = RFS_OBJECT_CONTENT, .device = file->st.st_dev, .inode = file->st.st_ino};
	char text[PATH_MAX];

	touch_file(t, RFS_OBJECT_EXTENT, &file->st, file->name, READS);
	if (!n || from >= OFFSET_MOST)
		return;
	snprintf(text, sizeof(text), "the content of file %.3000s", file->name);
	object_touches_add(t, &object, text, access, from, n < BYTES_MOST ? n : BYTES_MOST);
}

static struct rfs_kernel_object position_of(const struct open_file *file)
{
	return (struct rfs_kernel_object){.kind = RFS_OBJECT_POSITION,
					  .device = file->st.st_dev,
					  .inode = file->st.st_ino,
					  .detail = (unsigned)file->fd};
}

static void touch_position(struct touching *t, const struct open_file *file, unsigned access)
{
	const struct rfs_kernel_object object = position_of(file);
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "the position of descriptor %d in file %.3000s", file->fd, file->name);
	object_touches_add(t, &object, text, access, 0, 1);
}

/* How many bytes the call reads or writes; 1 if its data is in several pieces. */
static uint64_t length_of(const struct touching *t)
{
	switch (t->number) {
	case SYS_read:
	case SYS_write:
	case SYS_pread64:
	case SYS_pwrite64:
		return t->args[2];
	default:
		return 1;
	}
}

static void touch_write(struct touching *t, const struct open_file *file, uint64_t from)
{
	const uint64_t n = length_of(t);

	touch_content(t, file, WRITES, from, file->appends ? 0 : n);
	if (n && (file->appends || from + n > (uint64_t)file->st.st_size))
		touch_file(t, RFS_OBJECT_SIZE, &file->st, file->name, ADDS);
}

static void touch_seek(struct touching *t, const struct open_file *file)
{
	const bool asks = t->args[2] == SEEK_CUR && t->args[1] == 0;

	touch_position(t, file, asks ? READS : WRITES);
	if (t->args[2] == SEEK_END)
		touch_file(t, RFS_OBJECT_SIZE, &file->st, file->name, READS);
}

/* The number may soon be another open file, and a file without a name is gone. */
static void forget_closed(struct touching *t, const struct open_file *file)
{
	const struct rfs_kernel_object position = position_of(file);

	rfs_kernel_object_forget(t->run, &position);
	if (file->st.st_nlink == 0)
		rfs_kernel_objects_forget(t->run, file->st.st_dev, file->st.st_ino);
}

static void object_touches_on_fd(struct touching *t, int fd, enum rfs_call_does does)
{
	struct open_file file;

	if (!open_file_of(t, fd, &file))
		return;
	switch (does) {
	case RFS_DOES_READ:
		touch_position(t, &file, UPDATES);
		touch_content(t, &file, READS, file.position, length_of(t));
		return;
	case RFS_DOES_WRITE:
		if (!file.appends)
			touch_position(t, &file, UPDATES);
		touch_write(t, &file, file.position);
		return;
	case RFS_DOES_READ_AT:
		touch_content(t, &file, READS, t->args[3], length_of(t));
		return;
	case RFS_DOES_WRITE_AT:
		touch_write(t, &file, t->args[3]);
		return;
	case RFS_DOES_SEEK:
		touch_seek(t, &file);
		return;
	case RFS_DOES_TRUNCATE:
		touch_file(t, RFS_OBJECT_EXTENT, &file.st, file.name, WRITES);
		touch_file(t, RFS_OBJECT_SIZE, &file.st, file.name, WRITES);
		return;
	case RFS_DOES_ATTRIBUTES:
		touch_file(t, RFS_OBJECT_ATTRIBUTES, &file.st, file.name, WRITES);
		return;
	case RFS_DOES_CLOSE:
		forget_closed(t, &file);
		return;
	default:
		return;
	}
}

/* ---- names ---- */

/* What a call does to a name, and to the file that it names. */
struct on_name {
	unsigned name;	     /* to the name: enum rfs_access_flags */
	unsigned attributes; /* to the file, if it exists; 0: nothing */
	bool truncates, creates;
	bool removes; /* the file, if this is its last name */
	bool follows; /* a link in the last component */
};

/* An entry of a folder. */
struct entry {
	char path[PATH_MAX + 64]; /* where this process finds it */
	struct stat folder;
	const char *base; /* in path */
};

/* Finds the folder of entry->path. */
static bool find_folder(struct entry *entry)
{
	char *slash;
	bool found;

	for (size_t n = strlen(entry->path); n > 1 && entry->path[n - 1] == '/'; n--)
		entry->path[n - 1] = '\0';
	slash = strrchr(entry->path, '/');
	if (!slash || !slash[1])
		return false;
	entry->base = slash + 1;
	*slash = '\0';
	found = stat(slash == entry->path ? "/" : entry->path, &entry->folder) == 0;
	*slash = '/';
	return found;
}

/* entry->path becomes what the link there says. */
static bool follow_link(struct entry *entry)
{
	char target[PATH_MAX];
	const ssize_t n = readlink(entry->path, target, sizeof(target) - 1);
	size_t folder;

	if (n <= 0)
		return false;
	target[n] = '\0';
	folder = target[0] == '/' ? 0 : (size_t)(entry->base - entry->path);
	if (folder + (size_t)n >= sizeof(entry->path))
		return false;
	memcpy(entry->path + folder, target, (size_t)n + 1);
	return true;
}

static uint64_t object_touches_hash_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash;
}

static void touch_entry(struct touching *t, const struct entry *entry, const char *name, unsigned access)
{
	const struct rfs_kernel_object object = {.kind = RFS_OBJECT_NAME,
						 .device = entry->folder.st_dev,
						 .inode = entry->folder.st_ino,
						 .detail = object_touches_hash_of(entry->base)};
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "file %.3000s", name);
	object_touches_add(t, &object, text, access, 0, 1);
}

static void object_touches_on_name(struct touching *t, int folder, unsigned long address, const struct on_name *does)
{
	const int tid = (int)rfs_task_tid(t->thread->task);
	char name[PATH_MAX];
	struct entry entry;
	struct stat st;

	if (!rfs_name_read(t->thread->task, address, name) || !name[0])
		return;
	if (name[0] != '/' && folder == AT_FDCWD)
		on_process(t, RFS_OBJECT_FOLDER, READS);
	if (name[0] == '/')
		snprintf(entry.path, sizeof(entry.path), "%s", name);
	else if (folder == AT_FDCWD)
		snprintf(entry.path, sizeof(entry.path), "/proc/%d/cwd/%s", tid, name);
	else
		snprintf(entry.path, sizeof(entry.path), "/proc/%d/fd/%d/%s", tid, folder, name);
	for (int i = 0; i < LINKS_MOST; i++) {
		bool is_there, is_link;

		if (!find_folder(&entry))
			return;
		is_there = lstat(entry.path, &st) == 0;
		is_link = does->follows && is_there && S_ISLNK(st.st_mode);
		/* what is there is not created again */
		touch_entry(t, &entry, name, is_link || (is_there && does->creates) ? READS : does->name);
		if (!is_link || !follow_link(&entry))
			break;
	}
	if (does->creates)
		on_process(t, RFS_OBJECT_MASK, READS);
	if ((does->follows ? stat : lstat)(entry.path, &st) != 0)
		return;
	if (does->removes && (st.st_nlink <= 1 || S_ISDIR(st.st_mode)))
		rfs_kernel_objects_forget(t->run, st.st_dev, st.st_ino);
	if (!S_ISREG(st.st_mode))
		return;
	if (does->attributes)
		touch_file(t, RFS_OBJECT_ATTRIBUTES, &st, name, does->attributes);
	if (does->truncates) {
		touch_file(t, RFS_OBJECT_EXTENT, &st, name, WRITES);
		touch_file(t, RFS_OBJECT_SIZE, &st, name, WRITES);
	}
}

static struct on_name opening(unsigned long flags)
{
	const bool creates = flags & O_CREAT, exclusive = creates && (flags & O_EXCL);

	return (struct on_name){
		.name = exclusive ? WRITES
			: creates ? UPDATES
				  : READS,
		.attributes = READS,
		.truncates = flags & O_TRUNC,
		.creates = creates,
		.follows = !exclusive && !(flags & O_NOFOLLOW),
	};
}

/* Whether the flags of the call say that a link in the last component is not followed. */
static bool keeps_link(const struct touching *t)
{
	switch (t->number) {
	case SYS_lstat:
	case SYS_lchown:
	case SYS_readlink:
	case SYS_readlinkat:
		return true;
	case SYS_newfstatat:
		return t->args[3] & AT_SYMLINK_NOFOLLOW;
	case SYS_statx:
		return t->args[2] & AT_SYMLINK_NOFOLLOW;
	default:
		return false;
	}
}

/* False: the call does nothing with a name that is followed here. */
static bool what_on_name(const struct touching *t, enum rfs_call_does does, unsigned long flags, struct on_name *out)
{
	*out = (struct on_name){.name = READS, .follows = !keeps_link(t)};
	switch (does) {
	case RFS_DOES_OPEN:
	case RFS_DOES_OPEN_AT:
		*out = opening(flags);
		return true;
	case RFS_DOES_CREAT:
		*out = opening(O_CREAT | O_TRUNC);
		return true;
	case RFS_DOES_LOOK:
	case RFS_DOES_STAT_AT:
		return true;
	case RFS_DOES_TRUNCATE:
		out->truncates = true;
		return true;
	case RFS_DOES_ATTRIBUTES:
		out->attributes = WRITES;
		return true;
	case RFS_DOES_REMOVE:
		*out = (struct on_name){.name = WRITES, .removes = true};
		return t->number != SYS_openat2;
	default:
		return false;
	}
}

/* ---- calls ---- */

static void names_of(struct touching *t, const struct rfs_call_effect *effect)
{
	const unsigned long *args = t->args;
	const bool at = effect->form == RFS_ON_NAME_AT || effect->form == RFS_ON_NAMES_AT;
	const struct on_name looks = {.name = READS}, moves = {.name = WRITES};
	struct on_name does;

	if (effect->does == RFS_DOES_LINK) {
		does = (struct on_name){.name = WRITES};
		object_touches_on_name(t, at ? (int)args[0] : AT_FDCWD, args[at ? 1 : 0], &looks);
		object_touches_on_name(t, at ? (int)args[2] : AT_FDCWD, args[at ? 3 : 1], &does);
		return;
	}
	if (!what_on_name(t, effect->does, args[at ? 2 : 1], &does))
		return;
	switch (effect->form) {
	case RFS_ON_NAME:
		object_touches_on_name(t, AT_FDCWD, args[0], &does);
		return;
	case RFS_ON_NAME_AT:
		if (args[1])
			object_touches_on_name(t, (int)args[0], args[1], &does);
		return;
	case RFS_ON_NAMES:
		object_touches_on_name(t, AT_FDCWD, args[0], &moves);
		object_touches_on_name(t, AT_FDCWD, args[1], &does);
		return;
	case RFS_ON_NAMES_AT:
		object_touches_on_name(t, (int)args[0], args[1], &moves);
		object_touches_on_name(t, (int)args[2], args[3], &does);
		return;
	case RFS_ON_SECOND:
		object_touches_on_name(t, AT_FDCWD, args[1], &does);
		return;
	case RFS_ON_SECOND_AT:
		object_touches_on_name(t, (int)args[1], args[2], &does);
		return;
	default:
		return;
	}
}

/* Longer ranges are not followed: a detector would note each page of a mapping of which only few are used. */
#define MEMORY_MOST (4ul << 20)

/* The memory that a smaller heap no longer has. Until the next page of it, nothing is lost. */
static void below_break(const struct touching *t, rfs_addr *address, uint64_t *size)
{
	const uint64_t page = 4096, first = (t->args[0] + page - 1) / page * page;
	struct rfs_mapping heap;

	if (!first || !rfs_space_mapping(rfs_task_space(t->thread->task), first, &heap))
		return;
	*address = first;
	*size = heap.end - first;
}

/* The memory whose content or protection the call changes. */
static void range_of(const struct touching *t, rfs_addr *address, uint64_t *size)
{
	*address = t->args[0];
	*size = t->args[1];
	if (t->number == SYS_brk) {
		*size = 0;
		below_break(t, address, size);
	} else if (t->number == SYS_mremap && !(t->args[3] & MREMAP_FIXED) &&
		   (t->args[2] <= t->args[1] || !(t->args[3] & MREMAP_MAYMOVE))) {
		/* the memory stays at its address, and can only lose its end */
		*address += t->args[2];
		*size = t->args[2] < t->args[1] ? t->args[1] - t->args[2] : 0;
	}
}

/* What the call does to this memory: enum rfs_access_flags; 0: nothing that is followed. */
static unsigned effect_on_memory(const struct touching *t)
{
	switch (t->number) {
	case SYS_munmap:
	case SYS_mremap:
	case SYS_brk:
		return WRITES;
	case SYS_madvise: /* the bytes are lost */
		return t->args[2] == MADV_DONTNEED || t->args[2] == MADV_REMOVE ? WRITES : 0;
	case SYS_mprotect: /* others may still read: then it conflicts with writes only */
		return t->args[2] & PROT_WRITE ? 0 : t->args[2] & PROT_READ ? READS : WRITES;
	default:
		return 0;
	}
}

static void on_memory(struct touching *t)
{
	const unsigned access = effect_on_memory(t);
	rfs_addr address;
	uint64_t size;

	if (!access)
		return;
	range_of(t, &address, &size);
	/* what is mapped twice has one location, but only one of its addresses is unmapped */
	if (size && size <= MEMORY_MOST && !rfs_aliases_share(t->run, address, size))
		t->out[t->n++] = (struct rfs_object_touch){RFS_OBJECT_MEMORY, address, size,
							   access | RFS_ACCESS_CALL |
								   (unsigned)(t->number + 1) << RFS_ACCESS_CALL_SHIFT};
}

static void all_of(struct touching *t, enum rfs_call_does does)
{
	switch (does) {
	case RFS_DOES_FOLDER:
		on_process(t, RFS_OBJECT_FOLDER, WRITES);
		return;
	case RFS_DOES_WHERE:
		on_process(t, RFS_OBJECT_FOLDER, READS);
		return;
	case RFS_DOES_MASK:
		on_process(t, RFS_OBJECT_MASK, WRITES);
		return;
	case RFS_DOES_UNMAP:
	case RFS_DOES_MEMORY:
		on_memory(t);
		return;
	default:
		return;
	}
}

size_t rfs_object_touches(struct rfs_run *run, const struct rfs_thread *thread, long number, const unsigned long *args,
			  struct rfs_object_touch out[RFS_OBJECT_TOUCHES])
{
	const struct rfs_call_effect *effect = rfs_call_effect(number);
	struct touching t = {.run = run, .thread = thread, .args = args, .number = number, .out = out};

	if (!effect)
		return 0;
	if (effect->form == RFS_ON_FD)
		object_touches_on_fd(&t, (int)args[0], effect->does);
	else if (effect->form == RFS_ON_TWO && effect->does == RFS_DOES_CLOSE)
		object_touches_on_fd(&t, (int)args[1], effect->does);
	else if (effect->form == RFS_ON_ALL)
		all_of(&t, effect->does);
	else if (effect->form != RFS_ON_TWO && effect->form != RFS_ON_FROM_TO)
		names_of(&t, effect);
	return t.n;
}
