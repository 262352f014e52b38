/* memory.h - how the model reads and writes the memory of the program. */
#ifndef RFS_MODEL_MEMORY_H
#define RFS_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/operations.h"

/*
 * How to access the memory that holds the program's objects. Both functions return false unless all bytes were
 * accessed.
 */
struct rfs_model_memory {
	bool (*read)(void *arg, rfs_addr address, void *buf, size_t n);
	bool (*write)(void *arg, rfs_addr address, const void *buf, size_t n);
	void *arg;
};

static inline bool rfs_model_read(const struct rfs_model_memory *memory, rfs_addr address, void *buf, size_t n)
{
	return memory->read(memory->arg, address, buf, n);
}

static inline bool rfs_model_write(const struct rfs_model_memory *memory, rfs_addr address, const void *buf, size_t n)
{
	return memory->write(memory->arg, address, buf, n);
}

#endif
