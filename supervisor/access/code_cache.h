/*
 * code_cache.h - the sites of each module, and the plans for its stubs. A process sweeps a module once. The processes
 * that it forks inherit the results.
 *
 * All results are borrowed; they are never freed.
 */
#ifndef RFS_CODE_CACHE_H
#define RFS_CODE_CACHE_H

struct rfs_elf;

/* The sites of a module. NULL: the sweep is not possible. */
const struct rfs_code *rfs_code_cache_get(const struct rfs_elf *elf);
/* How stubs record the module's accesses, if there are no breakpoints in its code. NULL: not possible. */
const struct rfs_plan *rfs_plan_cache_get(const struct rfs_elf *elf);
/*
 * How stubs record calls of a C library's allocators. *code: the entries and returns of these functions. NULL: not
 * possible.
 */
const struct rfs_plan *rfs_allocator_cache_get(const struct rfs_elf *elf, const struct rfs_code **code);
/* How stubs record calls of a C library's mutex functions. NULL: not possible. */
const struct rfs_plan *rfs_lock_calls_cache_get(const struct rfs_elf *elf);
/*
 * The instructions that read the time stamp counter or write gs. NULL: some may be hidden in code that cannot be
 * decoded.
 */
const struct rfs_code *rfs_tsc_insns_cache_get(const struct rfs_elf *elf);

#endif
