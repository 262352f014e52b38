/* process.c - reads stat, status and the links in fd of /proc/PID. */
#include "supervisor/base/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"

size_t rfs_path_without_mark(const char *path)
{
	static const char mark[] = " (deleted)";
	const size_t n = strlen(path), n_mark = sizeof(mark) - 1;

	return n >= n_mark && strcmp(path + n - n_mark, mark) == 0 ? n - n_mark : n;
}

pid_t rfs_process_parent(pid_t pid)
{
	char path[64], text[512], *end;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	/* the name may contain blanks and parentheses, so reading begins after the last ')' */
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

bool rfs_process_uses_aio(pid_t pid)
{
	char path[64], line[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, "[aio]") || strstr(line, "io_uring");
	if (file)
		fclose(file);
	return found;
}

bool rfs_process_has_open(pid_t pid, const struct stat *file, bool (*skip)(const void *arg, int fd), const void *arg)
{
	struct dirent *entry;
	bool found = false;
	char path[64];
	struct stat st;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	fds = opendir(path);
	while (fds && !found && (entry = readdir(fds)))
		found = entry->d_name[0] != '.' && fstatat(dirfd(fds), entry->d_name, &st, 0) == 0 &&
			st.st_dev == file->st_dev && st.st_ino == file->st_ino &&
			!(skip && skip(arg, atoi(entry->d_name)));
	if (fds)
		closedir(fds);
	return found;
}

char *rfs_process_descriptor(pid_t pid, int fd)
{
	static const char anonymous[] = "anon_inode:";
	char path[64], link[4096];
	const char *name = link;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return NULL;
	link[n] = '\0';
	if (link[0] == '/')
		return xstrdup(link);
	/* "pipe:[4711]", "anon_inode:[eventfd]", "anon_inode:inotify" */
	if (strncmp(link, anonymous, strlen(anonymous)) == 0)
		name += strlen(anonymous) + (link[strlen(anonymous)] == '[');
	return xasprintf("%.*s", (int)strcspn(name, ":[]"), name);
}

bool rfs_process_signals(pid_t tid, const char *name, uint64_t *set)
{
	char path[64], line[256];
	bool found = false;
	FILE *file;

	*set = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strncmp(line, name, strlen(name)) == 0;
	if (found)
		*set = strtoull(line + strlen(name), NULL, 16);
	if (file)
		fclose(file);
	return found;
}
