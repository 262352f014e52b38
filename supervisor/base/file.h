/* file.h - reads a whole file, or looks for texts in it. */
#ifndef RFS_FILE_H
#define RFS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a file, which may be a pipe. Returns 0, *buf (the caller frees it) and *n; -EFBIG if it has more than `max`
 * bytes; or another -errno.
 */
int rfs_file_read(const char *path, uint64_t max, char **buf, size_t *n) __attribute__((warn_unused_result));
/* Whether a regular file has one of n texts; a text may be NULL. False also if the file cannot be read. */
bool rfs_file_has(const char *path, const char *const *texts, size_t n);

#endif
