/*
 * code_cache.h - the statements of each module, swept once in a process; inherited by the processes that it forks.
 */
#ifndef RFS_CODE_CACHE_H
#define RFS_CODE_CACHE_H

struct rfs_elf;

/* The sites of elf (borrowed for ever), or NULL where the sweep is not possible. */
const struct rfs_code *rfs_code_cache_get(const struct rfs_elf *elf);
/* How its accesses are recorded by stubs, as far as no breakpoint is in the way (borrowed for ever), or NULL. */
const struct rfs_plan *rfs_plan_cache_get(const struct rfs_elf *elf);
/* How a C library's allocators are recorded by stubs, and where those begin and return (borrowed for ever), or NULL. */
const struct rfs_plan *rfs_allocator_cache_get(const struct rfs_elf *elf, const struct rfs_code **code);
/* The same of its mutex functions. */
const struct rfs_plan *rfs_lock_calls_cache_get(const struct rfs_elf *elf);
/* Where the time stamp counter is read, or gs written (borrowed for ever), or NULL: that is not known. */
const struct rfs_code *rfs_tsc_insns_cache_get(const struct rfs_elf *elf);

#endif
