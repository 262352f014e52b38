/* file.h - reads a whole file. */
#ifndef RFS_FILE_H
#define RFS_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads a file, which may be a pipe. Returns 0, *buf (the caller frees it) and *n; -EFBIG if it has more than `max`
 * bytes; or another -errno.
 */
int rfs_file_read(const char *path, uint64_t max, char **buf, size_t *n) __attribute__((warn_unused_result));

#endif
