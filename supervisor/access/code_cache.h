/*
 * code_cache.h - the statements of each module. A process sweeps a module once, and its forked processes inherit that.
 *
 * All results are borrowed; they are never freed.
 */
#ifndef RFS_CODE_CACHE_H
#define RFS_CODE_CACHE_H

struct rfs_elf;

/* The sites of elf. NULL if the sweep is not possible. */
const struct rfs_code *rfs_code_cache_get(const struct rfs_elf *elf);
/* How stubs record the module's accesses, if no breakpoint is in the way. NULL: not possible. */
const struct rfs_plan *rfs_plan_cache_get(const struct rfs_elf *elf);
/* How stubs record a C library's allocators; *code: where these begin and return. NULL: not possible. */
const struct rfs_plan *rfs_allocator_cache_get(const struct rfs_elf *elf, const struct rfs_code **code);
/* The same for its mutex functions. */
const struct rfs_plan *rfs_lock_calls_cache_get(const struct rfs_elf *elf);
/* Where the time stamp counter is read or gs is written. NULL: unknown. */
const struct rfs_code *rfs_tsc_insns_cache_get(const struct rfs_elf *elf);

#endif
