/* output.h - the output folder of one run of rfsup, and files that are written completely or not at all. */
#ifndef RFS_OUTPUT_H
#define RFS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rfs_output {
	char *path; /* as the user would write it */
	int fd;	    /* the open folder */
};

/* The file that marks a folder as used. It contains the command line. */
#define RFS_OUTPUT_MARK "command.txt"

/*
 * Opens the folder dir for this run, and makes it if it does not exist. If dir is NULL: makes the first rfsup.out.N
 * that does not exist. Writes command to RFS_OUTPUT_MARK. Two runs never get the same folder, because mkdir(2) and
 * O_EXCL decide. 0 and *out, or -errno and a line in why.
 */
int rfs_output_open(const char *dir, char *const *command, struct rfs_output *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Opens the folder of an earlier run, which this one continues. 0 and *out, or -errno and a line in why. */
int rfs_output_reopen(const char *dir, struct rfs_output *out, char *why, size_t n) __attribute__((warn_unused_result));
void rfs_output_close(struct rfs_output *output);
/* For a run of rfsup that executed nothing: removes the mark, and the folder if it is empty then. */
void rfs_output_discard(struct rfs_output *output);

/* "PATH/name". Caller frees. */
char *rfs_output_file(const struct rfs_output *output, const char *name);

/* Writes a file under a temporary name, syncs and renames it, so that name never shows a partial file. name may contain
 * a subfolder, which must exist. 0, or -errno and a line in why; the temporary file is then removed. */
int rfs_output_write(const struct rfs_output *output, const char *name, const void *data, size_t size, char *why,
		     size_t n) __attribute__((warn_unused_result));

/* The same for a file at a path. sync: the bytes reach the disk before the file gets its name; without it, a power
 * failure may leave an empty file. 0 or -errno. */
int rfs_file_replace(const char *path, const void *data, size_t size, bool sync) __attribute__((warn_unused_result));

/* Writes to a stream (standard output) and flushes it. 0, or -errno and a line in why that contains name. */
int rfs_output_print(FILE *stream, const char *name, const void *data, size_t size, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
