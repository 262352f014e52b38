/* target_memory.h - reads and writes the target's memory. */
#ifndef RFS_TARGET_MEMORY_H
#define RFS_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_space;
struct rfs_thread;
struct rfs_model_memory;

#define RFS_OBJECT_SIZE 40 /* size of the largest object whose state the models read: pthread_mutex_t */

/* Read and write the target's memory. They return false if not all n bytes are mapped. */
bool rfs_peek(const struct rfs_run *run, rfs_addr address, void *buf, size_t n);
bool rfs_poke(struct rfs_run *run, rfs_addr address, const void *buf, size_t n);
/* The address space of the live threads, or of the process that has its turn (family.h). NULL: none is alive. Borrowed.
 */
struct rfs_space *rfs_run_space(const struct rfs_run *run);
/* rfs_peek() and rfs_poke() in the form that the model of synchronisation needs. Valid as long as the run exists. */
struct rfs_model_memory rfs_target_memory(struct rfs_run *run);
/*
 * Call this when the thread is at the entry of a function. Reads with one system call the memory that the handlers of
 * this thread and of all parked threads will need. object: also reads the object that the function's first argument
 * points to.
 */
void rfs_target_memory_prefetch(struct rfs_run *run, struct rfs_thread *thread, bool object);
/* Drops what was read, because the target's memory may change from now on. */
void rfs_target_memory_forget(struct rfs_run *run);

/* What was read of the target's memory. A run has one. */
struct rfs_read_cache;
void rfs_target_memory_open(struct rfs_run *run);
void rfs_target_memory_close(struct rfs_run *run);

#endif
