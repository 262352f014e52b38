#include "tests/e2e/spawn.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORDS 64

/* The contents of an open file, which is then closed. Caller frees. */
static char *contents(int fd)
{
	struct stat st;
	char *text;

	cr_assert_eq(fstat(fd, &st), 0);
	/* a device has size 0 and may not be readable, so it is not read */
	text = calloc(1, (size_t)st.st_size + 1);
	cr_assert(st.st_size == 0 || pread(fd, text, (size_t)st.st_size, 0) == st.st_size);
	close(fd);
	return text;
}

void spawn_start(const char *const *args, const char *folder, const char *out_file, struct spawned *out)
{
	char build[PATH_MAX], cache[PATH_MAX + 32];
	char *const environment[] = {(char *)"PATH=/usr/local/bin:/usr/bin:/bin", (char *)"LC_ALL=C", cache, NULL};
	const char *given = getenv("RFSUP");
	char binary[PATH_MAX], *argv[MAX_WORDS] = {(char *)"rfsup"};
	posix_spawn_file_actions_t actions;
	int argc = 1;

	*out = (struct spawned){
		/* files in memory, not pipes: otherwise something would have to read while rfsup runs */
		.fd_out = out_file ? open(out_file, O_WRONLY | O_CLOEXEC) : memfd_create("out", MFD_CLOEXEC),
		.fd_err = memfd_create("err", MFD_CLOEXEC),
	};
	cr_assert_not_null(realpath(given ? given : RFS_BUILD "/rfsup", binary), "there is no rfsup: make it first");
	cr_assert(out->fd_out >= 0 && out->fd_err >= 0);
	/* otherwise each rfsup reads the debug information of the C library again, if it is installed; not RFS_BUILD
	 * itself, because RFS_BUILD/rfsup is the program */
	cr_assert_not_null(realpath(RFS_BUILD, build));
	snprintf(cache, sizeof(cache), "XDG_CACHE_HOME=%s/cache", build);
	while (*args && argc < MAX_WORDS - 1)
		argv[argc++] = (char *)*args++; /* execve() does not write to the words */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out->fd_out, 1);
	posix_spawn_file_actions_adddup2(&actions, out->fd_err, 2);
	if (folder)
		posix_spawn_file_actions_addchdir_np(&actions, folder);
	cr_assert_eq(posix_spawn(&out->pid, binary, &actions, NULL, argv, environment), 0);
	posix_spawn_file_actions_destroy(&actions);
}

void spawn_wait(struct spawned *spawned)
{
	struct pollfd end = {.fd = pidfd_open(spawned->pid, 0), .events = POLLIN};
	int status, ended;

	cr_assert(end.fd >= 0);
	do
		ended = poll(&end, 1, SPAWN_LIMIT * 1000);
	while (ended < 0 && errno == EINTR);
	close(end.fd);
	spawned->timed_out = ended == 0;
	if (spawned->timed_out)
		kill(spawned->pid, SIGKILL);
	cr_assert_eq(waitpid(spawned->pid, &status, 0), spawned->pid);
	spawned->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	spawned->err = contents(spawned->fd_err);
	spawned->out = contents(spawned->fd_out);
}

void spawn_rfsup(const char *const *args, const char *folder, const char *out_file, struct spawned *out)
{
	spawn_start(args, folder, out_file, out);
	spawn_wait(out);
}

void spawned_release(struct spawned *spawned)
{
	free(spawned->out);
	free(spawned->err);
}

char *spawn_folder(void)
{
	char *path = strdup("/tmp/rfsup-e2e.XXXXXX");

	cr_assert_not_null(mkdtemp(path));
	return path;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

void spawn_remove(const char *folder)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void spawn_folder_remove(char *folder)
{
	spawn_remove(folder);
	free(folder);
}

int spawn_running(const char *link, const char *path)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int n = 0;

	cr_assert_not_null(proc);
	while ((entry = readdir(proc))) {
		char name[300], where[PATH_MAX];
		ssize_t length;

		snprintf(name, sizeof(name), "/proc/%s/%s", entry->d_name, link);
		length = readlink(name, where, sizeof(where) - 1);
		if (length < 0)
			continue;
		where[length] = '\0';
		n += strcmp(where, path) == 0;
	}
	closedir(proc);
	return n;
}

void spawn_file(const char *folder, const char *name, const void *data, unsigned long n, unsigned mode)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	cr_assert(fd >= 0 && write(fd, data, n) == (ssize_t)n && fchmod(fd, mode) == 0, "%s", path);
	close(fd);
}
