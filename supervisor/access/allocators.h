/*
 * allocators.h - what stubs record of the C library's functions that allocate and free.
 *
 * At the entry they record the caller and the size wanted or the block to be freed; at a return, the block.
 */
#ifndef RFS_ALLOCATORS_H
#define RFS_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_code_entry;
struct rfs_stub_call;
struct rfs_code_site;

/* The entries for rfs_code_scan_entries(). Returns how many; *out is static. */
size_t rfs_allocators(const struct rfs_code_entry **out);
/* For struct rfs_plan_request: what a stub records at this site. False: nothing. */
bool rfs_allocator_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

#endif
