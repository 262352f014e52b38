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

/* A piece of the target's memory that was read since any thread last ran. */
#define RFS_OBJECT_SIZE 40 /* size of the largest object whose state the models read: pthread_mutex_t */
#define RFS_READ_AHEAD_MAX 8
struct rfs_read_ahead {
	rfs_addr address;
	size_t size;
	unsigned char bytes[RFS_OBJECT_SIZE];
};

/* Reads and writes memory, which all threads share. False if not all bytes are there. */
bool rfs_peek(const struct rfs_run *run, rfs_addr address, void *buf, size_t n);
bool rfs_poke(struct rfs_run *run, rfs_addr address, const void *buf, size_t n);
/* The address space of the threads that are alive; NULL: none is. Borrowed. */
struct rfs_space *rfs_run_space(const struct rfs_run *run);
/* rfs_peek() and rfs_poke() for the model of synchronisation. Valid as long as the run. */
struct rfs_model_memory rfs_target_memory(struct rfs_run *run);
/*
 * The thread is at the entry of a function: reads at once what this thread and all parked ones will need. object: also
 * reads the object that the function's first argument points to.
 */
void rfs_target_memory_prefetch(struct rfs_run *run, struct rfs_thread *thread, bool object);
/* From now on the target's memory may change: drops what was read. */
void rfs_target_memory_forget(struct rfs_run *run);

#endif
