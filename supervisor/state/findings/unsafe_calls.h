/*
 * unsafe_calls.h - calls in signal handlers that are not async-signal-safe (POSIX 2017, section 2.4.3), such as malloc.
 *
 * Such a call is a mistake if the signal may come while the interrupted thread changes the same data of the C library.
 * So each of these calls is an access to an object that stands for the data as one thread sees it: threads may call
 * the functions at the same time, and only a handler that runs on the thread meets its calls. The detector then says
 * which calls nothing orders: neither a blocked signal, nor the call that lets the signal come.
 */
#ifndef RFS_UNSAFE_CALLS_H
#define RFS_UNSAFE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_race_access;
struct rfs_run;
struct rfs_thread;

/* Which data of the C library: the heap, a number above these (sync/library_state.c), or the address of an object. */
enum rfs_library_data { RFS_LIBRARY_HEAP = 1 };

/* From now on calls are noted: signals may come. */
void rfs_unsafe_calls_begin(struct rfs_run *run);
bool rfs_unsafe_calls_noted(const struct rfs_run *run);
/*
 * The thread calls the function, which uses this data. back: the return address of the call. function: static; NULL: it
 * is an allocator. recorded: a stub has recorded it, so the thread is elsewhere by now.
 */
void rfs_unsafe_call(struct rfs_run *run, struct rfs_thread *thread, const char *function, uint64_t data, bool changes,
		     rfs_addr back, bool recorded);
/* The detector reports a pair of accesses. True if they are calls of this kind: one of them is then a misuse. */
bool rfs_unsafe_calls_pair(struct rfs_run *run, const struct rfs_race_access *a, const struct rfs_race_access *b);
/* Whether the address stands for data of the C library. */
bool rfs_is_library_data(const struct rfs_run *run, rfs_addr address);
void rfs_unsafe_calls_release(struct rfs_run *run);

#endif
