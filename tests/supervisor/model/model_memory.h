#ifndef RFS_TEST_MODEL_MEMORY_H
#define RFS_TEST_MODEL_MEMORY_H

#include "supervisor/model/memory.h"

/* The memory that the model reads in these tests: BASE and what follows. All else is not there. */
#define BASE 0x1000u
#define NOWHERE 0x900000u
extern unsigned char model_bytes[1024];
extern const struct rfs_model_memory model_memory;

/* Puts the object there, zeros around it. */
void model_memory_put(rfs_addr address, const void *object, size_t n);
unsigned model_memory_word(rfs_addr address);

#endif
