/* pthread_calls.h - the pthread layer: breakpoints at the thread functions of the C library. */
#ifndef RFS_PTHREAD_CALLS_H
#define RFS_PTHREAD_CALLS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_module;
struct rfs_call;

/* Call this when a module was mapped. Sets breakpoints at the module's functions that are in the table `calls`. */
void rfs_pthread_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module);
/* Whether a module with this path has functions of the C library. */
bool rfs_pthread_is_libc(const char *path);
/* Call this when a signal may come. Sets breakpoints at functions that are not async-signal-safe (library_state.c). */
void rfs_pthread_watch_handlers(struct rfs_run *run, struct rfs_thread *thread);
/* Copies run->pthread to the run of a copy of the fork server. */
void rfs_pthread_copy(const struct rfs_run *from, struct rfs_run *to);
/* Frees run->pthread, because the run ends or the target executes another program. */
void rfs_pthread_release(struct rfs_run *run);
/* Call this when the thread is at the entry of this function. Runs the handler of the function's row in the table. */
enum rfs_then rfs_pthread_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

#endif
