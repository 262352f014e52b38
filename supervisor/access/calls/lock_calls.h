/*
 * lock_calls.h - which calls of mutexes, readers-writer locks, semaphores, pthread_once and condition variables are
 * recorded by stubs, so that they do not stop.
 *
 * Stubs record only calls that must succeed at once and wake nobody. They lock a free mutex, or unlock one that the
 * caller has locked once; the mutex must be normal or recursive. They lock a readers-writer lock that nobody has locked
 * for writing. They take a token that is there. They signal a condition variable at which no thread waits; only the
 * supervisor knows that, so such calls are lent separately. They call pthread_once after its routine has run. No object
 * may be shared with other processes.
 */
#ifndef RFS_LOCK_CALLS_H
#define RFS_LOCK_CALLS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_code_entry;
struct rfs_stub_call;
struct rfs_code_site;

/* The kinds of calls: indices of `calls` in struct rfs_stub_lent. */
enum rfs_lent_calls {
	RFS_LENT_LOCKS,	  /* calls that acquire something */
	RFS_LENT_UNLOCKS, /* calls that release something */
	RFS_LENT_SIGNALS, /* of condition variables */
};

/* The functions, as rfs_code_scan_entries() needs them. Returns how many; *out is static. */
size_t rfs_lock_calls(const struct rfs_code_entry **out);
/*
 * For the member `call` of struct rfs_plan_request: the stub at this site records the caller and the object. Always
 * true, because every site is recorded.
 */
bool rfs_lock_call_recorded(const struct rfs_code_site *site, struct rfs_stub_call *out);

#endif
