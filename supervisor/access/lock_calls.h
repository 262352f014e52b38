/*
 * lock_calls.h - calls that lock and unlock a mutex, as stubs record them where they cannot but do so at once: a normal
 * or recursive mutex that nobody holds, and one that the caller holds once.
 */
#ifndef RFS_LOCK_CALLS_H
#define RFS_LOCK_CALLS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_code_entry;
struct rfs_stub_call;
struct rfs_code_site;

/* Kinds of calls in struct rfs_stub_lent. */
enum rfs_lent_calls { RFS_LENT_LOCKS, RFS_LENT_UNLOCKS };

/* For rfs_code_scan_entries(). Returns how many. */
size_t rfs_lock_calls(const struct rfs_code_entry **out);
/* For struct rfs_plan_request: who calls, and the mutex. */
bool rfs_lock_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

#endif
