#include "supervisor/kernel/shared_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/ids/pids_name.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

/* With more touches than these, there is a conflict. */
#define TOUCHES_MOST 20000

enum effect {
	LOOKS,
	APPENDS, /* writes at the end, whose order only shows in the file; adds or removes another name of a folder */
	CHANGES,
};

enum thing {
	FILE_OF,     /* a file, with its content and attributes */
	NAME_OF,     /* a name in a folder */
	POSITION_OF, /* the position in a file of one descriptor, and its flags */
	OPENED_AS,   /* a descriptor that is open for one file */
	STREAMS,     /* pipes, sockets and the like: which of them belong together is not known */
	WORKING_FOLDER,
	CREATION_MASK,
	PROCESS, /* ids, limits, children, shared memory */
};

struct touch {
	enum thing thing;
	enum effect effect;
	dev_t device;
	ino_t inode;
	uint64_t detail; /* NAME_OF: a hash of the name; POSITION_OF, OPENED_AS: the descriptor */
	int fd;		 /* APPENDS: through this descriptor; -1: in an order that does not matter */
	int thread;
};

struct rfs_shared {
	struct touch *list; /* all different */
	size_t n, capacity;
};

/* Where a call has descriptors and names. */
enum form {
	ON_FD,	      /* argument 0 is a descriptor */
	ON_TWO,	      /* arguments 0 and 1 are descriptors */
	ON_FROM_TO,   /* arguments 0 and 2 are */
	ON_NAME,      /* argument 0 is a name */
	ON_NAME_AT,   /* argument 0 is a folder, argument 1 a name */
	ON_NAMES,     /* arguments 0 and 1 are names */
	ON_NAMES_AT,  /* 0 and 1, 2 and 3 */
	ON_SECOND,    /* argument 1 is a name */
	ON_SECOND_AT, /* argument 1 is a folder, argument 2 a name */
	ON_ALL,	      /* something that is not in the arguments */
};

enum what {
	READ,
	WRITE, /* at the position */
	MOVE,  /* the position, or the flags */
	LOOK,
	CHANGE, /* the file */
	CLOSE,
	LIST, /* the names in a folder */
	OPEN,
	OPEN_AT,
	CREAT,
	STAT_AT,
	REMOVE, /* the name, or adds it */
	MASK,
	FOLDER,
	MEMBERS,
	STREAM,
	POLL,
	CONTROL,
	COMMAND,
	MAP,
};

static const struct call {
	int number;
	enum form form;
	enum what what;
} calls[] = {
#define CALL(name, form, what) {SYS_##name, form, what},
#include "supervisor/kernel/shared_calls.def"
};

const int rfs_shared_calls[] = {
#define UNFILTERED(name, form, what)
#define CALL(name, form, what) SYS_##name,
#include "supervisor/kernel/shared_calls.def"
	-1};

bool rfs_shared_calls_noted(const struct rfs_run_spec *spec)
{
	return spec->policy && (spec->policy->flags & RFS_POLICY_NEEDS_CALLS);
}

/* ---- touches ---- */

static bool shared_calls_conflict(const struct touch *a, const struct touch *b)
{
	if (a->thread == b->thread || a->thing != b->thing || a->device != b->device || a->inode != b->inode ||
	    a->detail != b->detail || (a->effect == LOOKS && b->effect == LOOKS))
		return false;
	return a->effect != APPENDS || b->effect != APPENDS || a->fd != b->fd;
}

static bool shared_calls_equal(const struct touch *a, const struct touch *b)
{
	return a->thread == b->thread && a->thing == b->thing && a->effect == b->effect && a->device == b->device &&
	       a->inode == b->inode && a->detail == b->detail && a->fd == b->fd;
}

static void shared_calls_add(struct rfs_run *run, struct touch touch)
{
	struct rfs_shared *shared = run->kernel->shared;

	for (size_t i = 0; i < shared->n; i++) {
		if (shared_calls_equal(&shared->list[i], &touch))
			return;
		run->result->shares_calls |= shared_calls_conflict(&shared->list[i], &touch);
	}
	run->result->shares_calls |= shared->n == TOUCHES_MOST;
	if (run->result->shares_calls)
		return;
	if (shared->n == shared->capacity) {
		shared->capacity = shared->capacity ? 2 * shared->capacity : 64;
		shared->list = xrealloc(shared->list, shared->capacity * sizeof(*shared->list));
	}
	shared->list[shared->n++] = touch;
}

/* The call of one thread. */
struct entry {
	struct rfs_run *run;
	const struct rfs_thread *thread;
	const unsigned long *args;
};

static void shared_calls_touch(const struct entry *e, enum thing thing, enum effect effect, const struct stat *st,
			       uint64_t detail)
{
	shared_calls_add(e->run, (struct touch){.thing = thing,
						.effect = effect,
						.device = st ? st->st_dev : 0,
						.inode = st ? st->st_ino : 0,
						.detail = detail,
						.fd = -1,
						.thread = e->thread->number});
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

static void on_stream(const struct entry *e, enum what what)
{
	shared_calls_touch(e, STREAMS, what == LOOK || what == POLL ? LOOKS : CHANGES, NULL, 0);
}

static void on_file(const struct entry *e, int fd, enum what what, const struct stat *st)
{
	const bool standard = fd <= STDERR_FILENO;

	switch (what) {
	case READ:
	case LIST:
		shared_calls_touch(e, FILE_OF, LOOKS, st, 0);
		shared_calls_touch(e, POSITION_OF, CHANGES, st, (unsigned)fd);
		return;
	case WRITE:
		/* in whatever order the lines of a log or of the standard output are, the program does not notice */
		shared_calls_add(e->run, (struct touch){.thing = FILE_OF,
							.effect = APPENDS,
							.device = st->st_dev,
							.inode = st->st_ino,
							.fd = standard || appends(e, fd) ? -1 : fd,
							.thread = e->thread->number});
		shared_calls_touch(e, POSITION_OF, APPENDS, st, (unsigned)fd);
		return;
	case MOVE:
		shared_calls_touch(e, POSITION_OF, CHANGES, st, (unsigned)fd);
		return;
	case LOOK:
		/* the C library asks what kind of file its standard streams are */
		if (!standard)
			shared_calls_touch(e, FILE_OF, LOOKS, st, 0);
		return;
	default:
		shared_calls_touch(e, FILE_OF, CHANGES, st, 0);
	}
}

/* Devices whose reads and writes affect nobody: null, zero, random. */
static bool is_harmless(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1;
}

static void on_descriptor(const struct entry *e, int fd, enum what what)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)rfs_task_tid(e->thread->task), fd);
	if (fd < 0 || stat(path, &st) != 0)
		return;
	shared_calls_touch(e, OPENED_AS, what == CLOSE ? CHANGES : LOOKS, &st, (unsigned)fd);
	if (what == CLOSE || is_harmless(&st))
		return;
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || fd <= STDERR_FILENO || S_ISCHR(st.st_mode))
		on_file(e, fd, what, &st);
	else
		on_stream(e, what);
}

static enum what shared_calls_command(unsigned long command)
{
	switch (command) {
	case F_GETFD:
	case F_SETFD:
	case F_GETFL:
	case F_GETLK:
	case F_GETOWN:
		return LOOK;
	case F_SETFL:
		return MOVE;
	default:
		return CHANGE;
	}
}

static enum what control(unsigned long request)
{
	return request == TCGETS || request == TIOCGWINSZ || request == FIONREAD || request == TIOCGPGRP ? LOOK
													 : CHANGE;
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

static void on_name(const struct entry *e, int folder, unsigned long address, enum what what, unsigned long flags)
{
	char name[PATH_MAX], path[PATH_MAX + 64], *base;
	struct stat target, parent;
	uint64_t hash;
	bool exists, creates;

	if (!rfs_name_read(e->thread->task, address, name)) {
		e->run->result->shares_calls = true;
		return;
	}
	if (name[0] != '/' && folder == AT_FDCWD)
		shared_calls_touch(e, WORKING_FOLDER, LOOKS, NULL, 0);
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
	creates = what == CREAT || (what == OPEN && (flags & O_CREAT));
	if (creates)
		shared_calls_touch(e, CREATION_MASK, LOOKS, NULL, 0);
	shared_calls_touch(e, NAME_OF, what == REMOVE || (creates && !exists) ? CHANGES : LOOKS, &parent, hash);
	if (what == REMOVE || (creates && !exists))
		shared_calls_touch(e, FILE_OF, APPENDS, &parent, 0);
	if (!exists || is_harmless(&target))
		return;
	if (what == REMOVE || what == CHANGE || what == CREAT || (what == OPEN && (flags & O_TRUNC)))
		shared_calls_touch(e, FILE_OF, CHANGES, &target, 0);
	else if (what == LOOK)
		shared_calls_touch(e, FILE_OF, LOOKS, &target, 0);
}

/* stat() of a descriptor is fstatat() of an empty name. */
static void on_stat_at(const struct entry *e)
{
	char name[PATH_MAX];

	if (!e->args[1] || (rfs_name_read(e->thread->task, e->args[1], name) && !name[0]))
		on_descriptor(e, (int)e->args[0], LOOK);
	else
		on_name(e, (int)e->args[0], e->args[1], LOOK, 0);
}

/* ---- calls ---- */

static void on_all(const struct entry *e, enum what what)
{
	switch (what) {
	case MASK:
		shared_calls_touch(e, CREATION_MASK, CHANGES, NULL, 0);
		return;
	case FOLDER:
		shared_calls_touch(e, WORKING_FOLDER, CHANGES, NULL, 0);
		return;
	case MAP:
		if ((e->args[3] & MAP_TYPE) != MAP_PRIVATE && (int)e->args[4] >= 0)
			on_descriptor(e, (int)e->args[4], e->args[2] & PROT_WRITE ? CHANGE : LOOK);
		return;
	case POLL:
		if (e->args[1])
			on_stream(e, what);
		return;
	case STREAM:
		on_stream(e, what);
		return;
	default:
		shared_calls_touch(e, PROCESS, CHANGES, NULL, 0);
	}
}

static void shared_calls_note(const struct entry *e, const struct call *call)
{
	const unsigned long *args = e->args;
	enum what what = call->what;

	if (what == COMMAND)
		what = shared_calls_command(args[1]);
	else if (what == CONTROL)
		what = control(args[1]);
	switch (call->form) {
	case ON_FD:
		on_descriptor(e, (int)args[0], what);
		return;
	case ON_TWO:
	case ON_FROM_TO:
		on_descriptor(e, (int)args[0], CHANGE);
		on_descriptor(e, (int)args[call->form == ON_TWO ? 1 : 2], what);
		return;
	case ON_NAME:
		on_name(e, AT_FDCWD, args[0], what, args[1]);
		return;
	case ON_NAME_AT:
		if (what == STAT_AT)
			on_stat_at(e);
		else
			on_name(e, (int)args[0], args[1], what == OPEN_AT ? OPEN : what, args[2]);
		return;
	case ON_NAMES:
		on_name(e, AT_FDCWD, args[0], what, 0);
		on_name(e, AT_FDCWD, args[1], what, 0);
		return;
	case ON_NAMES_AT:
		on_name(e, (int)args[0], args[1], what, 0);
		on_name(e, (int)args[2], args[3], what, 0);
		return;
	case ON_SECOND:
		on_name(e, AT_FDCWD, args[1], what, 0);
		return;
	case ON_SECOND_AT:
		on_name(e, (int)args[1], args[2], what, 0);
		return;
	case ON_ALL:
		on_all(e, what);
		return;
	}
}

static bool shared_calls_is_alone(const struct rfs_run *run)
{
	size_t alive = 0;

	for (size_t i = 0; i < run->n_threads; i++)
		alive += run->threads[i]->state != RFS_STATE_ENDED;
	return alive < 2;
}

void rfs_shared_calls_note(struct rfs_run *run, const struct rfs_thread *thread, long number, const unsigned long *args)
{
	const struct entry entry = {run, thread, args};

	if (!rfs_shared_calls_noted(run->spec) || run->result->shares_calls || shared_calls_is_alone(run))
		return;
	if (!run->kernel->shared)
		run->kernel->shared = xcalloc(1, sizeof(*run->kernel->shared));
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number)
			shared_calls_note(&entry, &calls[i]);
}

/* Children are not under control. What they do may meet what the threads do. */
void rfs_shared_calls_end(struct rfs_run *run)
{
	if (rfs_shared_calls_noted(run->spec) && run->result->counts.children && run->result->counts.threads > 1)
		run->result->shares_calls = true;
}

void rfs_shared_calls_release(struct rfs_run *run)
{
	if (run->kernel->shared)
		free(run->kernel->shared->list);
	free(run->kernel->shared);
}
