/* fake_space.h - the memory of the target, its breakpoints, and its one module: the C library. */
#ifndef RFS_TEST_FAKE_SPACE_H
#define RFS_TEST_FAKE_SPACE_H

#include "disasm/addr.h"

struct rfs_space;

struct rfs_space *fake_space(void);
/* Sets memory to zero, and forgets the breakpoints. */
void fake_space_clear(void);
void fake_space_release(void);
/* The address of a function of the C library; the test fails if there is none. */
rfs_addr fake_function(const char *name);
/* The name of the function of a script that begins at this address; NULL: none. */
const char *fake_function_at(rfs_addr address);

#endif
