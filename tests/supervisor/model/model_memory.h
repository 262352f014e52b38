/* model_memory.h - the memory that the tests of the model use. */
#ifndef RFS_TEST_MODEL_MEMORY_H
#define RFS_TEST_MODEL_MEMORY_H

#include "supervisor/model/memory.h"

/* The bytes from BASE on. No other memory exists. */
#define BASE 0x1000u
#define NOWHERE 0x900000u
extern unsigned char model_bytes[1024];
extern const struct rfs_model_memory model_memory;

/* Stores the object there, and zeros around it. */
void model_memory_put(rfs_addr address, const void *object, size_t n);
unsigned model_memory_word(rfs_addr address);

#endif
