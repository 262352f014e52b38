/*
 * lock_calls.h - calls that lock and unlock a mutex, as stubs record them.
 *
 * Stubs record only calls that must succeed at once. These lock a normal or recursive mutex that is free, or unlock one
 * that the caller holds once.
 */
#ifndef RFS_LOCK_CALLS_H
#define RFS_LOCK_CALLS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_code_entry;
struct rfs_stub_call;
struct rfs_code_site;

/* The kinds of calls in struct rfs_stub_lent. */
enum rfs_lent_calls { RFS_LENT_LOCKS, RFS_LENT_UNLOCKS };

/* The entries for rfs_code_scan_entries(). Returns how many; *out is static. */
size_t rfs_lock_calls(const struct rfs_code_entry **out);
/* For struct rfs_plan_request: the stub records the caller and the mutex. False: it records nothing at this site. */
bool rfs_lock_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

#endif
