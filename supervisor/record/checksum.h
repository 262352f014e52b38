/* checksum.h - XXH3 (128 bits) of bytes and of files, as 32 hex digits. Detects accidental changes, not forgery. */
#ifndef RFS_CHECKSUM_H
#define RFS_CHECKSUM_H

#include <stddef.h>

#define RFS_CHECKSUM_SIZE 33 /* digits and a NUL */

void rfs_checksum(const void *data, size_t n, char out[RFS_CHECKSUM_SIZE]);
/* 0 or -errno. */
int rfs_checksum_file(const char *path, char out[RFS_CHECKSUM_SIZE]) __attribute__((warn_unused_result));

#endif
