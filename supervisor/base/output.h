/* output.h - the output folder of one run of rfsup. Files in it are complete or absent, never partial. */
#ifndef RFS_OUTPUT_H
#define RFS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct rfs_output {
	char *path; /* relative to the working directory, or absolute */
	int fd;	    /* the folder's descriptor */
};

/* The file in a folder that says that a run of rfsup already uses it. It contains the command line. */
#define RFS_OUTPUT_MARK "command.txt"

/*
 * Opens the output folder of this run. dir: the folder, made if it does not exist. NULL: makes the first rfsup.out.N
 * that does not exist. Writes the words of `command` to RFS_OUTPUT_MARK. Two runs never get the same folder, because
 * mkdir(2) and O_EXCL let only one of them succeed. 0 and *out, or -errno and a line in why.
 */
int rfs_output_open(const char *dir, char *const *command, struct rfs_output *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Opens the folder of an earlier run, which this one continues. 0 and *out, or -errno and a line in why. */
int rfs_output_reopen(const char *dir, struct rfs_output *out, char *why, size_t n) __attribute__((warn_unused_result));
void rfs_output_close(struct rfs_output *output);
/*
 * For a run of rfsup that executed nothing: removes RFS_OUTPUT_MARK, closes the folder, and removes it if it is empty.
 */
void rfs_output_discard(struct rfs_output *output);

/* "PATH/name". Caller frees. */
char *rfs_output_file(const struct rfs_output *output, const char *name);

/*
 * Writes a file under a temporary name, calls fsync(2), and renames the file. So a file called `name` is never
 * partial. `name` may contain a subfolder, which must exist. 0, or -errno and a line in why; the temporary file is
 * then removed.
 */
int rfs_output_write(const struct rfs_output *output, const char *name, const void *data, size_t size, char *why,
		     size_t n) __attribute__((warn_unused_result));

/*
 * The same for a file at any path. mode: its permissions, before the umask. sync: call fsync(2) before the rename;
 * without it, a power failure may leave an empty file. 0 or -errno.
 */
int rfs_file_replace(const char *path, const void *data, size_t size, mode_t mode, bool sync)
	__attribute__((warn_unused_result));

/* Writes all data to an open file, without being killed by the file size limit. 0 or -errno. */
int rfs_file_write(int fd, const char *data, size_t size) __attribute__((warn_unused_result));

/*
 * Writes to a stream, such as standard output, and flushes it. name: the stream's name in messages. 0, or -errno and a
 * line in why.
 */
int rfs_output_print(FILE *stream, const char *name, const void *data, size_t size, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
