/* tree.c - mkdir(2), cp -a, and nftw(3) to remove. */
#include "supervisor/base/tree.h"

#include <errno.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"

#define OPEN_FOLDERS 32 /* the number of folders that nftw(3) may keep open */

int rfs_tree_make(const char *path)
{
	char *copy = xstrdup(path);
	int error = 0;

	for (char *slash = copy + 1; !error && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			error = -errno;
		*slash = '/';
	}
	if (!error && mkdir(copy, 0777) && errno != EEXIST)
		error = -errno;
	free(copy);
	return error;
}

int rfs_tree_copy(const char *from, const char *to, char *why, size_t n)
{
	/* "FROM/." is the contents of FROM, including hidden files; cp creates `to` and copies them into it */
	char *source = xasprintf("%s/.", from);
	char *const argv[] = {(char *)"cp", (char *)"-a", (char *)"--", source, (char *)to, NULL};
	int status = 0, error;
	pid_t pid;

	error = -posix_spawnp(&pid, "cp", NULL, NULL, argv, environ);
	if (error) {
		rfs_why(why, n, error, "cannot run cp to copy %s: %s", from, strerror(-error));
		goto out;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		error = rfs_why(why, n, -EIO, "cannot copy %s to %s", from, to);
out:
	free(source);
	return error;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *position)
{
	(void)st;
	(void)position;
	/*
	 * nftw() skips the entries of a folder that cannot be read. The folder is made readable here, so that the
	 * second round of rfs_tree_remove() removes its entries.
	 */
	if (type == FTW_DNR)
		chmod(path, 0700);
	(void)remove(path);
	return 0;
}

int rfs_tree_remove(const char *path)
{
	/* the second round removes what was in folders that could not be read in the first round */
	for (int round = 0; round < 2; round++)
		if (nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) && errno == ENOENT)
			return 0;
	return access(path, F_OK) == 0 ? -ENOTEMPTY : 0;
}

static int remove_below(const char *path, const struct stat *st, int type, struct FTW *position)
{
	return position->level || type == FTW_DNR ? remove_one(path, st, type, position) : 0;
}

void rfs_tree_empty(const char *path)
{
	for (int round = 0; round < 2; round++)
		(void)nftw(path, remove_below, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
