#ifndef RFS_TARGET_MEMORY_H
#define RFS_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_space;
struct rfs_thread;
struct rfs_model_memory;

/* What was read of the target's memory since anything of it last ran. */
#define RFS_OBJECT_SIZE 40 /* of the largest object whose state the models read: pthread_mutex_t */
#define RFS_READ_AHEAD_MAX 8
struct rfs_read_ahead {
	rfs_addr address;
	size_t size;
	unsigned char bytes[RFS_OBJECT_SIZE];
};

/* target_memory.c: memory, shared by all */
bool rfs_peek(const struct rfs_run *run, rfs_addr address, void *buf, size_t n);
bool rfs_poke(struct rfs_run *run, rfs_addr address, const void *buf, size_t n);
struct rfs_space *rfs_run_space(const struct rfs_run *run);
/* The same two, as the model of synchronisation calls them. Valid as long as the run. */
struct rfs_model_memory rfs_target_memory(struct rfs_run *run);
/*
 * thread stands at the entry of a function: reads at once what it and all other parked threads will be asked about.
 * object: the function's first argument too.
 */
void rfs_target_memory_prefetch(struct rfs_run *run, struct rfs_thread *thread, bool object);
/* Somebody may write to the target's memory from here on. */
void rfs_target_memory_forget(struct rfs_run *run);

#endif
