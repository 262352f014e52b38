/*
 * shared.c - reads /proc and the working directory.
 *
 * An empty file that is still empty, and has the same name, mode and number, has not changed. Of other files this is
 * hard to say: the time of a change is too coarse before Linux 6.13, and a file can be written through memory.
 */
#include "supervisor/generate/driver/shared.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KNOWN_MAX 64
#define LINKS_OF_ONE_THREAD 3 /* of /proc/PID/task: two, and one for each thread */

/* Of the first process: descriptors, which the driver has inherited, and its lines of shared memory. */
static struct stat known[KNOWN_MAX];
static size_t n_known, n_known_maps;

/* Appends to the text. False: it is too long. */
static bool __attribute__((format(printf, 2, 3))) shared_add(struct rfs_driver_shared *out, const char *format, ...)
{
	const size_t used = strlen(out->text);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(out->text + used, sizeof(out->text) - used, format, args);
	va_end(args);
	return n >= 0 && (size_t)n < sizeof(out->text) - used;
}

static bool has_one_thread(pid_t pid)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return stat(path, &status) == 0 && status.st_nlink == LINKS_OF_ONE_THREAD;
}

/* The number of lines of memory that a copy would share and can write. */
static size_t shared_maps(pid_t pid)
{
	char path[64], line[512], mode[8];
	size_t n = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		n += sscanf(line, "%*s %7s", mode) == 1 && mode[1] == 'w' && mode[3] == 's';
	if (in)
		fclose(in);
	return n;
}

static bool is_empty_file(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_size == 0;
}

static bool shared_add_file(struct rfs_driver_shared *out, const char *name, const struct stat *status)
{
	return shared_add(out, "%s %lu %o %lu\n", name, (unsigned long)status->st_ino, status->st_mode,
			  (unsigned long)status->st_nlink);
}

/* An open file: also its position. A process does not share its locks with its copies. */
static bool add_open_file(struct rfs_driver_shared *out, pid_t pid, int fd)
{
	char path[64], line[256];
	struct stat status;
	bool added;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	added = stat(path, &status) == 0 && is_empty_file(&status) && shared_add_file(out, "", &status);
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)pid, fd);
	in = fopen(path, "re");
	if (!in)
		return false;
	while (added && fgets(line, sizeof(line), in))
		added = strncmp(line, "lock:", strlen("lock:")) != 0 && shared_add(out, "%s", line);
	fclose(in);
	return added;
}

static bool shared_is_known(const struct stat *status)
{
	for (size_t i = 0; i < n_known; i++)
		if (known[i].st_dev == status->st_dev && known[i].st_ino == status->st_ino)
			return true;
	return false;
}

/* A device such as /dev/zero has no state. */
static bool add_descriptor(struct rfs_driver_shared *out, const char *name, const struct stat *status)
{
	if (shared_is_known(status) || S_ISCHR(status->st_mode))
		return true;
	if (!S_ISREG(status->st_mode) || out->n_files == RFS_DRIVER_SHARED_FILES)
		return false;
	out->files[out->n_files++] = (int)strtol(name, NULL, 10);
	return true;
}

/* Calls `add_entry` for each entry of the folder, until it returns false. */
typedef bool entry_fn(struct rfs_driver_shared *out, const char *name, const struct stat *status);
static bool for_each(const char *path, struct rfs_driver_shared *out, entry_fn *add_entry)
{
	const struct dirent *entry;
	struct stat status;
	DIR *folder = opendir(path);
	bool added = folder != NULL;

	while (added && (entry = readdir(folder))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		added = fstatat(dirfd(folder), entry->d_name, &status, 0) == 0 &&
			add_entry(out, entry->d_name, &status);
	}
	if (folder)
		closedir(folder);
	return added;
}

static bool for_each_descriptor(pid_t pid, struct rfs_driver_shared *out, entry_fn *add_entry)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	return for_each(path, out, add_entry);
}

static bool add_entry_of_folder(struct rfs_driver_shared *out, const char *name, const struct stat *status)
{
	return is_empty_file(status) && shared_add_file(out, name, status);
}

static bool note_known(struct rfs_driver_shared *out, const char *name, const struct stat *status)
{
	(void)out;
	(void)name;
	if (n_known < KNOWN_MAX)
		known[n_known++] = *status;
	return true;
}

void rfs_driver_shared_first(pid_t first)
{
	n_known = 0;
	n_known_maps = shared_maps(first);
	(void)for_each_descriptor(first, NULL, note_known);
}

/* The state of the files. */
static bool shared_read_files(pid_t pid, struct rfs_driver_shared *out)
{
	bool added = true;

	out->text[0] = '\0';
	for (size_t i = 0; added && i < out->n_files; i++)
		added = add_open_file(out, pid, out->files[i]);
	return added && for_each(".", out, add_entry_of_folder);
}

bool rfs_driver_shared_read(pid_t pid, struct rfs_driver_shared *out)
{
	out->n_files = 0;
	return has_one_thread(pid) && shared_maps(pid) == n_known_maps &&
	       for_each_descriptor(pid, out, add_descriptor) && shared_read_files(pid, out);
}

bool rfs_driver_shared_is_same(pid_t pid, const struct rfs_driver_shared *before)
{
	struct rfs_driver_shared now = *before;

	return shared_read_files(pid, &now) && strcmp(now.text, before->text) == 0;
}
