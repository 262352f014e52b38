/*
 * allocators.h - functions of the C library that allocate and free, as stubs record them: at the entry who calls, and
 * how much is asked for or what is freed; at a return the block.
 */
#ifndef RFS_ALLOCATORS_H
#define RFS_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_code_entry;
struct rfs_stub_call;
struct rfs_code_site;

/* For rfs_code_scan_entries(). Returns how many. */
size_t rfs_allocators(const struct rfs_code_entry **out);
/* For struct rfs_plan_request. */
bool rfs_allocator_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

#endif
