/* model_memory.h - the memory that the tests of the model use. */
#ifndef RFS_TEST_MODEL_MEMORY_H
#define RFS_TEST_MODEL_MEMORY_H

#include "supervisor/model/memory.h"

/* The test's memory: these bytes, from address BASE on. Any other address, such as NOWHERE, is invalid. */
#define BASE 0x1000u
#define NOWHERE 0x900000u
extern unsigned char model_bytes[1024];
extern const struct rfs_model_memory model_memory;

/* Sets all bytes to zero and writes the object at this address. */
void model_memory_put(rfs_addr address, const void *object, size_t n);
unsigned model_memory_word(rfs_addr address);

#endif
