/*
 * allocators.h - what stubs record of the C library's functions that allocate and free.
 *
 * At the entry of such a function, a stub records the caller, and the requested size or the block to free. At a return,
 * a stub records the allocated block.
 */
#ifndef RFS_ALLOCATORS_H
#define RFS_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_code_entry;
struct rfs_stub_call;
struct rfs_code_site;

/* The functions, as rfs_code_scan_entries() needs them. Returns how many; *out is static. */
size_t rfs_allocators(const struct rfs_code_entry **out);
/*
 * For the member `call` of struct rfs_plan_request: says what a stub records at this site. Always true, because every
 * site is recorded.
 */
bool rfs_allocator_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

#endif
