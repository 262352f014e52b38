/*
 * code_cache.h - the statements of each module, swept once in a process; inherited by the processes that it forks.
 */
#ifndef RFS_CODE_CACHE_H
#define RFS_CODE_CACHE_H

#include "disasm/code.h"

/* The sites of elf (borrowed for ever), or NULL where the sweep is not possible. */
const struct rfs_code *rfs_code_cache_get(const struct rfs_elf *elf);

#endif
