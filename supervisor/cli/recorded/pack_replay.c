/* pack_replay.c - makes the namespaces and mounts, and calls the replay in them. */
#include "supervisor/cli/recorded/pack_replay.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/file.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/output.h"
#include "supervisor/base/tree.h"
#include "supervisor/cli/recorded/pack.h"

/* Where the record is for the replay. */
#define RECORD_FOLDER "/.rfsup-pack"
#define MOUNTS_MAX (16 << 20)

/* The folders in the memory file system: what is in the pack, and the root directory of the replay. */
struct space {
	char *top, *root, *merged;
	unsigned n; /* overlays so far */
};

static void need(bool done, const char *what)
{
	if (!done)
		die("--replay: cannot %s: %s; the replay of a pack needs root, and overlayfs in the kernel", what,
		    strerror(errno));
}

static void pack_replay_make_folder(const char *path)
{
	int error = rfs_tree_make(path);

	if (error)
		die("--replay: cannot create %s: %s", path, strerror(-error));
}

/* Puts `upper` over the folder `lower`, at `at`. False: errno says why not. */
static bool overlay(struct space *space, const char *lower, const char *upper, const char *at)
{
	char *work = xasprintf("%s/work%u", space->top, space->n++);
	char *options = xasprintf("lowerdir=%s,upperdir=%s,workdir=%s", lower, upper, work);
	bool done;

	pack_replay_make_folder(work);
	done = mount("overlay", at, "overlay", 0, options) == 0;
	free(options);
	free(work);
	return done;
}

static bool is_below(const char *path, const char *folder)
{
	const size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* A file system of the machine. */
struct mounted {
	char *path;  /* absolute */
	bool kernel; /* its files are not on a disk: devices, processes, switches of the kernel */
};

/* Whether file systems of this type have no files that could be kept apart. */
static bool is_of_kernel(const char *type, const char *path)
{
	static const char *const types[] = {"proc",	"sysfs",     "devtmpfs",    "devpts",	"cgroup",
					    "cgroup2",	"mqueue",    "debugfs",	    "tracefs",	"securityfs",
					    "configfs", "fusectl",   "pstore",	    "bpf",	"autofs",
					    "efivarfs", "hugetlbfs", "binfmt_misc", "selinuxfs"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	/* a container has its devices in a tmpfs */
	return strcmp(path, "/dev") == 0 || is_below(path, "/sys");
}

/* The file systems of the machine except for the root, each after the one in which it is. Caller frees. */
static struct mounted *mounts(size_t *n)
{
	struct mounted *list = NULL;
	char *text, *rest;
	size_t size;

	*n = 0;
	if (rfs_file_read("/proc/self/mounts", MOUNTS_MAX, &text, &size))
		return NULL;
	text = xrealloc(text, size + 1);
	text[size] = '\0';
	rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *device = strsep(&line, " "), *path = line ? strsep(&line, " ") : NULL;
		char *type = line ? strsep(&line, " ") : NULL;

		/* the kernel writes a space in a name as \040; such a file system is left out */
		if (!device || !path || !type || strcmp(path, "/") == 0 || strchr(path, '\\'))
			continue;
		list = xreallocarray(list, *n + 1, sizeof(*list));
		list[(*n)++] = (struct mounted){xstrdup(path), is_of_kernel(type, path)};
	}
	free(text);
	return list;
}

/* Whether the pack has a folder or a link below the path. They are made after the file systems are added. */
static bool makes_below(const struct rfs_unpacked *pack, const char *path)
{
	for (size_t i = 0; i < pack->n_folders; i++)
		if (is_below(pack->folders[i], path))
			return true;
	for (size_t i = 0; i < pack->n_links; i++)
		if (is_below(pack->links[2 * i], path))
			return true;
	return false;
}

/* Adds the file system at `path` so that it does not change. packed: the files that the pack has in it, if any. */
static bool add_over(struct space *space, const char *path, const struct stat *st, const char *packed, const char *at)
{
	char *upper = xasprintf("%s/upper%u", space->top, space->n);
	bool done;

	/* an upper folder must not be in another one */
	if (access(packed, F_OK) == 0)
		need(rename(packed, upper) == 0, "move files of the pack");
	else
		pack_replay_make_folder(upper);
	need(chown(upper, st->st_uid, st->st_gid) == 0 && chmod(upper, st->st_mode & 07777) == 0, "make a folder");
	done = overlay(space, path, upper, at);
	free(upper);
	return done;
}

/* Adds a file system as it is. If its files are on a disk, they cannot be written. True: those in it came with it. */
static bool add_as_is(const struct mounted *mounted, const char *at)
{
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};

	if (mounted->kernel && mount(mounted->path, at, NULL, MS_BIND, NULL) == 0)
		return false;
	/* in a container, some file systems cannot be separated from those in them */
	if (mount(mounted->path, at, NULL, MS_BIND | MS_REC, NULL))
		return false;
	if (!mounted->kernel && mount_setattr(AT_FDCWD, at, AT_RECURSIVE, &read_only, sizeof(read_only))) {
		umount2(at, MNT_DETACH);
		rfs_note("the replay does not see %s, because it could change it", mounted->path);
	}
	return true;
}

/*
 * Adds a file system, and keeps what is written there apart. needed: the pack has files in it. True: the file systems
 * in it came with it.
 */
static bool add_mount(struct space *space, const struct mounted *mounted, bool needed)
{
	char *packed = xasprintf("%s%s", space->root, mounted->path),
	     *at = xasprintf("%s%s", space->merged, mounted->path);
	struct stat st, there;
	bool with_others = false;

	if (lstat(at, &there) || stat(mounted->path, &st) || (st.st_mode & S_IFMT) != (there.st_mode & S_IFMT))
		goto out;
	if (S_ISDIR(st.st_mode) && (needed || !mounted->kernel)) {
		if (add_over(space, mounted->path, &st, packed, at))
			goto out;
		need(!needed, "mount an overlay");
	}
	/* a file of the pack takes the place of a file system that is one file */
	if (lstat(packed, &there))
		with_others = add_as_is(mounted, at);
out:
	free(packed);
	free(at);
	return with_others;
}

static void add_mounts(struct space *space, const struct rfs_unpacked *pack)
{
	const char *added = NULL;
	struct mounted *list;
	size_t n;

	list = mounts(&n);
	for (size_t i = 0; i < n; i++) {
		char *packed = xasprintf("%s%s", space->root, list[i].path);
		struct stat st;

		if (!is_below(list[i].path, space->top) && !(added && is_below(list[i].path, added)) &&
		    add_mount(space, &list[i], lstat(packed, &st) == 0 || makes_below(pack, list[i].path)))
			added = list[i].path;
		free(packed);
	}
	for (size_t i = 0; i < n; i++)
		free(list[i].path);
	free(list);
}

/* Makes the folders and links of the pack that the machine does not have. The root directory is that of the replay. */
static void make_links(const struct rfs_unpacked *pack)
{
	for (size_t i = 0; i < pack->n_folders; i++)
		if (rfs_tree_make(pack->folders[i]))
			rfs_note("cannot make the folder %s", pack->folders[i]);
	for (size_t i = 0; i < pack->n_links; i++) {
		const char *path = pack->links[2 * i], *target = pack->links[2 * i + 1];
		char *real = realpath(path, NULL), *parent = xstrdup(path);

		if (!real || strcmp(real, target) != 0) {
			*strrchr(parent, '/') = '\0';
			unlink(path);
			if ((*parent && rfs_tree_make(parent)) || symlink(target, path))
				rfs_note("cannot make the link %s: %s", path, strerror(errno));
		}
		free(real);
		free(parent);
	}
}

/* Makes this process see the files of the pack, and unpacks it. */
static void pack_replay_enter(const char *path, const char *top, struct rfs_unpacked *pack)
{
	struct space space = {
		.top = (char *)top, .root = xasprintf("%s/root", top), .merged = xasprintf("%s/merged", top)};
	char *record = xasprintf("%s/root" RECORD_FOLDER, top), why[1024];

	need(unshare(CLONE_NEWNS) == 0, "make a mount namespace");
	/* EINVAL: this is a chroot, whose root directory is no mount point; the parent then removes what it can see */
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 || errno == EINVAL, "separate the mounts");
	need(mount("tmpfs", top, "tmpfs", 0, "mode=0700,size=8g") == 0, "mount a file system in memory");
	need(mount(NULL, top, NULL, MS_PRIVATE, NULL) == 0, "separate the mounts");
	pack_replay_make_folder(space.root);
	pack_replay_make_folder(space.merged);
	pack_replay_make_folder(record);
	if (rfs_unpack(path, space.root, record, pack, why, sizeof(why)))
		die("%s", why);
	chmod(space.root, 0755);
	need(overlay(&space, "/", space.root, space.merged), "mount an overlay");
	add_mounts(&space, pack);
	need(chroot(space.merged) == 0 && chdir("/") == 0, "change the root directory");
	make_links(pack);
	free(record);
	free(space.root);
	free(space.merged);
}

static bool is_foreign(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)));
}

enum rfs_exit rfs_pack_replay(const char *path, bool trusted, rfs_pack_replay_fn *replay, void *arg)
{
	const char *folder = getenv("TMPDIR");
	char *top = xasprintf("%s/rfsup-pack-XXXXXX", folder && *folder ? folder : "/tmp"),
	     *absolute = realpath(path, NULL);
	const pid_t parent = getpid();
	int status = 0;
	pid_t pid;

	if (!absolute)
		die("%s: %s", path, strerror(errno));
	if (is_foreign(absolute) && !trusted)
		die("%s is not your file, or others may write to it, and it has a program; if you trust it, add "
		    "--trust",
		    path);
	if (!mkdtemp(top))
		die("cannot create %s: %s", top, strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("cannot make a process: %s", strerror(errno));
	if (pid == 0) {
		struct rfs_unpacked pack;
		char *record;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(RFS_EXIT_INPUT);
		rfs_interrupt_adopt();
		pack_replay_enter(absolute, top, &pack);
		record = xasprintf(RECORD_FOLDER "/%s", pack.record);
		rfs_unpacked_release(&pack);
		status = (int)replay(arg, record);
		free(record);
		fflush(NULL);
		_exit(status);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	(void)umount2(top, MNT_DETACH);
	rmdir(top);
	free(top);
	free(absolute);
	return WIFEXITED(status) ? (enum rfs_exit)WEXITSTATUS(status) : RFS_EXIT_UNCONTROLLED;
}
