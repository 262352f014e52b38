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

/* Addresses of functions of the C library in the target. 0: the function was not found. */
struct rfs_pthread_functions {
	rfs_addr lock, unlock, testcancel;
};

/* Call this when a module was mapped. Sets breakpoints at the module's functions that are in the table `calls`. */
void rfs_pthread_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module);
/* Whether a module with this path has functions of the C library. */
bool rfs_pthread_is_libc(const char *path);
/* Copies run->pthread to the run of a copy of the fork server. */
void rfs_pthread_copy(const struct rfs_run *from, struct rfs_run *to);
/* Frees run->pthread, because the run ends or the target executes another program. */
void rfs_pthread_release(struct rfs_run *run);
/* Call this when the thread is at the entry of this function. Runs the handler of the function's row in the table. */
enum rfs_then rfs_pthread_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* Whether the C library made a call for itself. back: the return address of the call. */
bool rfs_call_is_internal(const struct rfs_run *run, rfs_addr back);
/*
 * Call this when the thread is at the entry of a function. Makes that function return this value without being
 * executed.
 */
enum rfs_then rfs_call_answer(struct rfs_run *run, struct rfs_thread *thread, uint64_t value);

#endif
