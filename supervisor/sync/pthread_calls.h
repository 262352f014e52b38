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

/* Of the C library, at run time; 0: not found. */
struct rfs_pthread_functions {
	rfs_addr lock, unlock, testcancel;
};

void rfs_pthread_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module);
void rfs_pthread_copy(const struct rfs_run *from, struct rfs_run *to);
/* Functions that were found are forgotten: the run ends, or another program is executed. */
void rfs_pthread_release(struct rfs_run *run);
enum rfs_then rfs_pthread_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
bool rfs_call_is_internal(const struct rfs_run *run, rfs_addr back);
/* Comes back to the caller with value, without the function. */
enum rfs_then rfs_call_answer(struct rfs_run *run, struct rfs_thread *thread, uint64_t value);

#endif
