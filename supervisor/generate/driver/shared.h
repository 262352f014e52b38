/*
 * shared.h - what a process of a test shares with its copies. If one copy changes that, later ones find it changed.
 */
#ifndef RFS_DRIVER_SHARED_H
#define RFS_DRIVER_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Its open files, and the files of the working directory, which are all empty. */
#define RFS_DRIVER_SHARED_TEXT 2048
#define RFS_DRIVER_SHARED_FILES 8
struct rfs_driver_shared {
	char text[RFS_DRIVER_SHARED_TEXT]; /* "": there are none */
	int files[RFS_DRIVER_SHARED_FILES];
	size_t n_files;
};

/* The process has executed nothing yet. What it shares is known to change nothing. */
void rfs_driver_shared_first(pid_t first);

/*
 * Reads what the stopped process shares. False: it is not known, or there is more than empty files, such as a thread,
 * a pipe or a lock. Then the process must not be copied.
 */
bool rfs_driver_shared_read(pid_t pid, struct rfs_driver_shared *out);

/* Whether the process, which has not gone on since, still shares what it did. */
bool rfs_driver_shared_is_same(pid_t pid, const struct rfs_driver_shared *before);

#endif
