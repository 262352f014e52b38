/* once.h - the state of a pthread_once_t, and of the guard of a C++ static local. */
#ifndef RFS_MODEL_ONCE_H
#define RFS_MODEL_ONCE_H

#include "policy/operations.h"

struct rfs_model_memory;

enum rfs_once_state {
	RFS_ONCE_OPEN, /* no thread has begun the initialisation; also if the word cannot be read */
	RFS_ONCE_IN_PROGRESS,
	RFS_ONCE_DONE,
};

/* rfs_once_look() returns the state of a pthread_once_t; rfs_guard_look() returns the state of a guard. */
enum rfs_once_state rfs_once_look(const struct rfs_model_memory *memory, rfs_addr once);
enum rfs_once_state rfs_guard_look(const struct rfs_model_memory *memory, rfs_addr guard);

#endif
