/* result_used.h - whether a caller may look at the result of the function that it called. */
#ifndef RFS_RESULT_USED_H
#define RFS_RESULT_USED_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_run;

/* back: the return address of the call. True if unknown. */
bool rfs_result_used(struct rfs_run *run, rfs_addr back);

#endif
