/*
 * code_cache.h - the sites of each module, and the plans for its stubs. A process sweeps a module once. The processes
 * that it forks inherit the results.
 *
 * All results are borrowed. They are never freed, except that rfs_code_cache_mark_moves() may free a module's plans.
 */
#ifndef RFS_CODE_CACHE_H
#define RFS_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"
#include "disasm/rewrite/stub_control.h"

struct rfs_elf;
struct rfs_code_stop;

/* The sites of a module. NULL: the sweep is not possible. */
const struct rfs_code *rfs_code_cache_get(const struct rfs_elf *elf);
/* Sweeps the module, if the cache does not have it. False: `stop` said to give up, and the cache still does not. */
bool rfs_code_cache_read(const struct rfs_elf *elf, const struct rfs_code_stop *stop);
/*
 * The number of parts of a module with too much code for one run: each run watches one part. 0: each run watches all of
 * the module.
 */
unsigned rfs_code_cache_parts(const struct rfs_elf *elf);
/* Marks the module's atomic moves, as rfs_code_mark_moves() does. The next plan has no stubs there. */
void rfs_code_cache_mark_moves(const struct rfs_elf *elf, const rfs_addr *vaddrs, size_t n);
/*
 * How stubs with this filter record the module's accesses, if there are no breakpoints in its code. NULL: not possible,
 * or the module is watched in parts. Each run then makes a plan of its part.
 */
const struct rfs_plan *rfs_plan_cache_get(const struct rfs_elf *elf, enum rfs_stub_filter filter);
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

/*
 * Makes now what each run needs of a module, watched or not, so that the processes of later runs inherit it. libc: the
 * module has the functions of the C library.
 */
void rfs_code_cache_fill(const struct rfs_elf *elf, bool libc);

#endif
