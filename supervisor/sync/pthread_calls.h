/* pthread_calls.h - the pthread layer: breakpoints at the thread functions of the C library, and who called them. */
#ifndef RFS_PTHREAD_CALLS_H
#define RFS_PTHREAD_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_module;
struct rfs_call;

/* Addresses of the C library's functions in the target. 0: not found. */
struct rfs_pthread_functions {
	rfs_addr lock, unlock, testcancel;
};

/* A module was mapped: sets breakpoints at its functions that are in the table. */
void rfs_pthread_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module);
/* Copies the functions that were found, for a copy of the fork server. */
void rfs_pthread_copy(const struct rfs_run *from, struct rfs_run *to);
/* Forgets the functions that were found, because the run ends or another program is executed. */
void rfs_pthread_release(struct rfs_run *run);
/* The thread is at the entry of this function: runs the handler of its row. */
enum rfs_then rfs_pthread_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* Whether the C library made the call that returns to this address for itself. */
bool rfs_call_is_internal(const struct rfs_run *run, rfs_addr back);
/* Returns to the caller with this value, without executing the function. */
enum rfs_then rfs_call_answer(struct rfs_run *run, struct rfs_thread *thread, uint64_t value);

#endif
