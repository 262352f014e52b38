/*
 * elf_cache.h - ELF files that were read already.
 */
#ifndef RFS_TRACER_ELF_CACHE_H
#define RFS_TRACER_ELF_CACHE_H

#include <stddef.h>

struct rfs_elf;

/* Looks a file up by path, device, inode and time in the process-wide cache, and reads it only once. Returns the same
 * struct each time. -errno and why as rfs_elf_open(). */
int rfs_elf_cache_get(const char *path, struct rfs_elf **out, char *why, size_t n) __attribute__((warn_unused_result));

#endif
