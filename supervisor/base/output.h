/* output.h - the output folder of one run of rfsup, and files that are there whole or not at all. */
#ifndef RFS_OUTPUT_H
#define RFS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rfs_output {
	char *path; /* as the user would name it */
	int fd;	    /* of the folder */
};

/* The file that marks a folder as taken; it holds the command line. */
#define RFS_OUTPUT_MARK "command.txt"

/*
 * Takes the folder: dir, made if absent, or, where dir is NULL, the first rfsup.out.N that does not exist. command is
 * written to the mark. No two runs ever get the same folder: mkdir(2) and O_EXCL decide. 0 and *out, or -errno and a
 * line in why.
 */
int rfs_output_open(const char *dir, char *const *command, struct rfs_output *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_output_close(struct rfs_output *output);
/* Takes the mark away again, and the folder where nothing else is in it: nothing was run. */
void rfs_output_discard(struct rfs_output *output);

/* "PATH/name". Caller frees. */
char *rfs_output_file(const struct rfs_output *output, const char *name);

/*
 * Writes a file: under another name, synced, then renamed, so that name never stands for a part of it. name may lead
 * into a subfolder, which must exist. 0, or -errno and a line in why; the temporary file is gone then.
 */
int rfs_output_write(const struct rfs_output *output, const char *name, const void *data, size_t size, char *why,
		     size_t n) __attribute__((warn_unused_result));

/*
 * The same for a file at a path. sync: the bytes are on the disk before the file has its name; else a machine that
 * loses its power may leave an empty one. 0 or -errno.
 */
int rfs_file_replace(const char *path, const void *data, size_t size, bool sync) __attribute__((warn_unused_result));

/* Writes to a stream (standard output) and flushes. 0, or -errno and a line in why that calls it name. */
int rfs_output_print(FILE *stream, const char *name, const void *data, size_t size, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
