/*
 * lock_calls.h - which calls of pthread_mutex_lock and pthread_mutex_unlock are recorded by stubs, so that they do not
 * stop.
 *
 * Stubs record only calls that must succeed at once: they lock a free mutex, or unlock one that the caller has locked
 * once. The mutex must be normal or recursive.
 */
#ifndef RFS_LOCK_CALLS_H
#define RFS_LOCK_CALLS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_code_entry;
struct rfs_stub_call;
struct rfs_code_site;

/* The kinds of calls: indices of `calls` in struct rfs_stub_lent. */
enum rfs_lent_calls { RFS_LENT_LOCKS, RFS_LENT_UNLOCKS };

/* The functions, as rfs_code_scan_entries() needs them. Returns how many; *out is static. */
size_t rfs_lock_calls(const struct rfs_code_entry **out);
/*
 * For the member `call` of struct rfs_plan_request: the stub at this site records the caller and the mutex. Always
 * true, because every site is recorded.
 */
bool rfs_lock_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

#endif
