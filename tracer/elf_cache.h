/*
 * elf_cache.h - a cache of the ELF files that this process has read.
 */
#ifndef RFS_TRACER_ELF_CACHE_H
#define RFS_TRACER_ELF_CACHE_H

#include <stddef.h>

struct rfs_elf;

/*
 * Sets *out to the content of an ELF file, which is read only once. If path, device, inode and modification time are
 * the same, the cached content is returned again. It is borrowed and never freed. Errors and `why` are those of
 * rfs_elf_open().
 */
int rfs_elf_cache_get(const char *path, struct rfs_elf **out, char *why, size_t n) __attribute__((warn_unused_result));

#endif
