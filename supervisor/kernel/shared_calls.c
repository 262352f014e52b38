/* shared_calls.c - says for each call what it touches. The calls are those of kernel/core/call_effects.def. */
#include "supervisor/kernel/shared_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "supervisor/base/process.h"
#include "supervisor/kernel/core/call_effect.h"
#include "supervisor/kernel/ids/pids_name.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/shared_things.h"
#include "supervisor/sync/library_state.h"
#include "tracer/tracer.h"

/* Signals that the C library keeps for itself. */
#define SIGNAL_CANCEL 32
#define SIGNAL_IDS 33

const int rfs_shared_calls[] = {
#define EFFECT(name, form, does) SYS_##name,
#include "supervisor/kernel/core/call_effects.def"
	-1};

/* ---- touches ---- */

/* The call of one thread. */
struct entry {
	struct rfs_run *run;
	const struct rfs_thread *thread;
	const unsigned long *args;
};

static void shared_calls_touch(const struct entry *e, enum rfs_shared_thing thing, enum rfs_shared_effect effect,
			       const struct stat *st, uint64_t detail)
{
	rfs_shared_note(e->run, e->thread,
			&(struct rfs_shared_touch){.thing = thing,
						   .effect = effect,
						   .device = st ? st->st_dev : 0,
						   .inode = st ? st->st_ino : 0,
						   .detail = detail,
						   .fd = -1});
}

/* ---- descriptors ---- */

static bool appends(const struct entry *e, int fd)
{
	char path[64], line[64];
	unsigned flags = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)rfs_task_tid(e->thread->task), fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "flags: %o", &flags) == 1)
			break;
	if (file)
		fclose(file);
	return flags & O_APPEND;
}

static void on_stream(const struct entry *e, enum rfs_call_does what)
{
	shared_calls_touch(e, RFS_SHARED_STREAMS,
			   what == RFS_DOES_LOOK || what == RFS_DOES_POLL ? RFS_SHARED_LOOKS : RFS_SHARED_CHANGES, NULL,
			   0);
}

static void on_file(const struct entry *e, int fd, enum rfs_call_does what, const struct stat *st)
{
	const bool standard = fd <= STDERR_FILENO;

	switch (what) {
	case RFS_DOES_READ:
	case RFS_DOES_LIST:
		shared_calls_touch(e, RFS_SHARED_FILE, RFS_SHARED_LOOKS, st, 0);
		shared_calls_touch(e, RFS_SHARED_POSITION, RFS_SHARED_CHANGES, st, (unsigned)fd);
		return;
	case RFS_DOES_WRITE:
		/* in whatever order the lines of a log or of the standard output are, the program does not notice */
		rfs_shared_note(e->run, e->thread,
				&(struct rfs_shared_touch){.thing = RFS_SHARED_FILE,
							   .effect = RFS_SHARED_APPENDS,
							   .device = st->st_dev,
							   .inode = st->st_ino,
							   .fd = standard || appends(e, fd) ? -1 : fd});
		shared_calls_touch(e, RFS_SHARED_POSITION, RFS_SHARED_APPENDS, st, (unsigned)fd);
		return;
	case RFS_DOES_MOVE:
		shared_calls_touch(e, RFS_SHARED_POSITION, RFS_SHARED_CHANGES, st, (unsigned)fd);
		return;
	case RFS_DOES_LOOK:
		/* the C library asks what kind of file its standard streams are */
		if (!standard)
			shared_calls_touch(e, RFS_SHARED_FILE, RFS_SHARED_LOOKS, st, 0);
		return;
	default:
		shared_calls_touch(e, RFS_SHARED_FILE, RFS_SHARED_CHANGES, st, 0);
	}
}

/* Devices whose reads and writes affect nobody: null, zero, random. */
static bool is_harmless(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1;
}

static bool is_this(const void *arg, int fd)
{
	return fd == *(const int *)arg;
}

/* False: the descriptor is not open. */
static bool file_of(const struct entry *e, int fd, struct stat *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)rfs_task_tid(e->thread->task), fd);
	return stat(path, out) == 0;
}

static void on_descriptor(const struct entry *e, int fd, enum rfs_call_does what)
{
	const pid_t pid = rfs_task_tid(e->thread->task);
	struct stat st;

	if (fd < 0)
		return;
	/* the call fails, but not if it comes before the close of another thread */
	if (!file_of(e, fd, &st)) {
		shared_calls_touch(e, RFS_SHARED_DESCRIPTOR, RFS_SHARED_LOOKS, NULL, (unsigned)fd);
		return;
	}
	if (what == RFS_DOES_CLOSE)
		shared_calls_touch(e, RFS_SHARED_DESCRIPTOR, RFS_SHARED_APPENDS, NULL, (unsigned)fd);
	shared_calls_touch(e, RFS_SHARED_DESCRIPTOR, what == RFS_DOES_CLOSE ? RFS_SHARED_CHANGES : RFS_SHARED_LOOKS,
			   &st, (unsigned)fd);
	if (what == RFS_DOES_CLOSE && st.st_nlink == 0 && !rfs_process_has_open(pid, &st, is_this, &fd))
		rfs_shared_forget_file(e->run, st.st_dev, st.st_ino);
	if (what == RFS_DOES_CLOSE || is_harmless(&st))
		return;
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || fd <= STDERR_FILENO || S_ISCHR(st.st_mode))
		on_file(e, fd, what, &st);
	else
		on_stream(e, what);
}

static enum rfs_call_does shared_calls_command(unsigned long command)
{
	switch (command) {
	case F_GETFD:
	case F_SETFD:
	case F_GETFL:
	case F_GETLK:
	case F_GETOWN:
		return RFS_DOES_LOOK;
	case F_SETFL:
		return RFS_DOES_MOVE;
	default:
		return RFS_DOES_CHANGE;
	}
}

static enum rfs_call_does control(unsigned long request)
{
	return request == TCGETS || request == TIOCGWINSZ || request == FIONREAD || request == TIOCGPGRP
		       ? RFS_DOES_LOOK
		       : RFS_DOES_CHANGE;
}

/* A proof needs to know less of the call than a prediction does. */
static enum rfs_call_does shared_calls_plain(enum rfs_call_does what, const unsigned long *args)
{
	switch (what) {
	case RFS_DOES_COMMAND:
		return shared_calls_command(args[1]);
	case RFS_DOES_CONTROL:
		return control(args[1]);
	case RFS_DOES_READ_AT:
		return RFS_DOES_LOOK;
	case RFS_DOES_WRITE_AT:
	case RFS_DOES_TRUNCATE:
	case RFS_DOES_ATTRIBUTES:
		return RFS_DOES_CHANGE;
	case RFS_DOES_SEEK:
		return RFS_DOES_MOVE;
	case RFS_DOES_LINK:
		return RFS_DOES_REMOVE;
	case RFS_DOES_UNMAP:
		return RFS_DOES_MEMORY;
	default:
		return what;
	}
}

/* ---- names ---- */

static uint64_t shared_calls_hash_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash;
}

/* Where our process finds the name. */
static void path_of(const struct entry *e, int folder, const char *name, char *out, size_t n)
{
	const int tid = (int)rfs_task_tid(e->thread->task);

	if (name[0] == '/')
		snprintf(out, n, "%s", name);
	else if (folder == AT_FDCWD)
		snprintf(out, n, "/proc/%d/cwd/%s", tid, name);
	else
		snprintf(out, n, "/proc/%d/fd/%d/%s", tid, folder, name);
}

/* Whether the file tells of the threads of a process: how many there are, their states and names. */
static bool tells_of_threads(const char *name)
{
	static const char folder[] = "/proc/";

	if (strncmp(name, folder, strlen(folder)) != 0)
		return false;
	name += strlen(folder);
	return (*name >= '0' && *name <= '9') || strncmp(name, "self/", 5) == 0 ||
	       strncmp(name, "thread-self/", 12) == 0;
}

static void on_name(const struct entry *e, int folder, unsigned long address, enum rfs_call_does what,
		    unsigned long flags)
{
	char name[PATH_MAX], path[PATH_MAX + 64], *base;
	struct stat target, parent;
	uint64_t hash;
	bool exists, creates;

	if (!rfs_name_read(e->thread->task, address, name)) {
		e->run->result->shares_calls = true;
		return;
	}
	if (what == RFS_DOES_OPEN && tells_of_threads(name))
		e->run->result->shares_calls |= !rfs_shared_is_alone(e->run);
	if (name[0] != '/' && folder == AT_FDCWD)
		shared_calls_touch(e, RFS_SHARED_FOLDER, RFS_SHARED_LOOKS, NULL, 0);
	path_of(e, folder, name, path, sizeof(path));
	exists = stat(path, &target) == 0;
	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = '\0';
	base = strrchr(path, '/');
	hash = shared_calls_hash_of(base ? base + 1 : path);
	if (base)
		base[base == path] = '\0';
	if (stat(path, &parent) != 0)
		return;
	creates = what == RFS_DOES_CREAT || (what == RFS_DOES_OPEN && (flags & O_CREAT));
	if (creates)
		shared_calls_touch(e, RFS_SHARED_MASK, RFS_SHARED_LOOKS, NULL, 0);
	shared_calls_touch(e, RFS_SHARED_NAME,
			   what == RFS_DOES_REMOVE || (creates && !exists) ? RFS_SHARED_CHANGES : RFS_SHARED_LOOKS,
			   &parent, hash);
	if (what == RFS_DOES_REMOVE || (creates && !exists))
		shared_calls_touch(e, RFS_SHARED_FILE, RFS_SHARED_APPENDS, &parent, 0);
	if (!exists || is_harmless(&target))
		return;
	if (what == RFS_DOES_REMOVE || what == RFS_DOES_CHANGE || what == RFS_DOES_CREAT ||
	    (what == RFS_DOES_OPEN && (flags & O_TRUNC)))
		shared_calls_touch(e, RFS_SHARED_FILE, RFS_SHARED_CHANGES, &target, 0);
	else if (what == RFS_DOES_LOOK)
		shared_calls_touch(e, RFS_SHARED_FILE, RFS_SHARED_LOOKS, &target, 0);
	if (what == RFS_DOES_REMOVE && target.st_nlink == 1 && S_ISREG(target.st_mode) &&
	    !rfs_process_has_open(rfs_task_tid(e->thread->task), &target, NULL, NULL))
		rfs_shared_forget_file(e->run, target.st_dev, target.st_ino);
}

/* stat() of a descriptor is fstatat() of an empty name. */
static void on_stat_at(const struct entry *e)
{
	char name[PATH_MAX];

	if (!e->args[1] || (rfs_name_read(e->thread->task, e->args[1], name) && !name[0]))
		on_descriptor(e, (int)e->args[0], RFS_DOES_LOOK);
	else
		on_name(e, (int)e->args[0], e->args[1], RFS_DOES_LOOK, 0);
}

/* ---- calls ---- */

/* The file of a mapping that is not private. From now on, any thread may access it without a call. */
static void on_mapped_file(const struct entry *e, int fd, bool writes)
{
	struct stat st;

	on_descriptor(e, fd, writes ? RFS_DOES_CHANGE : RFS_DOES_LOOK);
	if (file_of(e, fd, &st) && S_ISREG(st.st_mode))
		rfs_shared_map_file(e->run, st.st_dev, st.st_ino, writes);
}

static void on_all(const struct entry *e, enum rfs_call_does what)
{
	switch (what) {
	case RFS_DOES_MASK:
		shared_calls_touch(e, RFS_SHARED_MASK, RFS_SHARED_CHANGES, NULL, 0);
		return;
	case RFS_DOES_FOLDER:
		shared_calls_touch(e, RFS_SHARED_FOLDER, RFS_SHARED_CHANGES, NULL, 0);
		return;
	case RFS_DOES_WHERE:
		shared_calls_touch(e, RFS_SHARED_FOLDER, RFS_SHARED_LOOKS, NULL, 0);
		return;
	case RFS_DOES_LOOK_MEMBERS:
		shared_calls_touch(e, RFS_SHARED_PROCESS, RFS_SHARED_LOOKS, NULL, 0);
		return;
	case RFS_DOES_LIMITS:
		shared_calls_touch(e, RFS_SHARED_PROCESS, e->args[2] ? RFS_SHARED_CHANGES : RFS_SHARED_LOOKS, NULL, 0);
		return;
	case RFS_DOES_SIGNAL_ACTION:
		/* the C library uses these two for itself */
		if (e->args[0] != SIGNAL_CANCEL && e->args[0] != SIGNAL_IDS)
			shared_calls_touch(e, RFS_SHARED_SIGNAL, e->args[1] ? RFS_SHARED_CHANGES : RFS_SHARED_LOOKS,
					   NULL, e->args[0]);
		return;
	case RFS_DOES_SIGNAL_MASK:
		shared_calls_touch(e, RFS_SHARED_SIGNAL, RFS_SHARED_LOOKS, NULL, 0);
		return;
	case RFS_DOES_SIGNAL_PROCESS:
		shared_calls_touch(e, RFS_SHARED_SIGNAL, RFS_SHARED_CHANGES, NULL, 0);
		return;
	case RFS_DOES_MEMORY:
		if (!rfs_library_makes_call(e->run, rfs_task_regs(e->thread->task)->rip))
			e->run->result->shares_calls |= !rfs_shared_is_alone(e->run);
		return;
	case RFS_DOES_SELECT:
		if (e->args[1] || e->args[2] || e->args[3])
			on_stream(e, RFS_DOES_POLL);
		return;
	case RFS_DOES_MAP:
		if ((e->args[3] & MAP_FIXED) && !rfs_library_makes_call(e->run, rfs_task_regs(e->thread->task)->rip))
			e->run->result->shares_calls |= !rfs_shared_is_alone(e->run);
		if ((e->args[3] & MAP_TYPE) != MAP_PRIVATE && (int)e->args[4] >= 0)
			on_mapped_file(e, (int)e->args[4], e->args[2] & PROT_WRITE);
		return;
	case RFS_DOES_POLL:
		if (e->args[1])
			on_stream(e, what);
		return;
	case RFS_DOES_STREAM:
		on_stream(e, what);
		return;
	default:
		shared_calls_touch(e, RFS_SHARED_PROCESS, RFS_SHARED_CHANGES, NULL, 0);
	}
}

static void shared_calls_note(const struct entry *e, const struct rfs_call_effect *call)
{
	const unsigned long *args = e->args;
	enum rfs_call_does what = call->does;

	what = shared_calls_plain(what, args);
	switch (call->form) {
	case RFS_ON_NOTHING:
		return;
	case RFS_ON_FD:
		on_descriptor(e, (int)args[0], what);
		return;
	case RFS_ON_TWO:
	case RFS_ON_FROM_TO:
		on_descriptor(e, (int)args[0], RFS_DOES_CHANGE);
		on_descriptor(e, (int)args[call->form == RFS_ON_TWO ? 1 : 2], what);
		return;
	case RFS_ON_NAME:
		on_name(e, AT_FDCWD, args[0], what, args[1]);
		return;
	case RFS_ON_NAME_AT:
		if (what == RFS_DOES_STAT_AT)
			on_stat_at(e);
		else
			on_name(e, (int)args[0], args[1], what == RFS_DOES_OPEN_AT ? RFS_DOES_OPEN : what, args[2]);
		return;
	case RFS_ON_NAMES:
		on_name(e, AT_FDCWD, args[0], what, 0);
		on_name(e, AT_FDCWD, args[1], what, 0);
		return;
	case RFS_ON_NAMES_AT:
		on_name(e, (int)args[0], args[1], what, 0);
		on_name(e, (int)args[2], args[3], what, 0);
		return;
	case RFS_ON_SECOND:
		on_name(e, AT_FDCWD, args[1], what, 0);
		return;
	case RFS_ON_SECOND_AT:
		on_name(e, (int)args[1], args[2], what, 0);
		return;
	case RFS_ON_ALL:
		on_all(e, what);
		return;
	}
}

void rfs_shared_calls_note(struct rfs_run *run, const struct rfs_thread *thread, long number, const unsigned long *args)
{
	const struct entry entry = {run, thread, args};
	const struct rfs_call_effect *effect;

	if (!rfs_shared_noted(run->spec) || run->result->shares_calls)
		return;
	effect = rfs_call_effect(number);
	if (effect)
		shared_calls_note(&entry, effect);
}

/* Children are not under control. What they do may meet what the threads do. */
void rfs_shared_calls_end(struct rfs_run *run)
{
	if (rfs_shared_noted(run->spec) && run->result->counts.children && run->result->counts.threads > 1)
		run->result->shares_calls = true;
}
