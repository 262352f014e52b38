/* atomics.h - the addresses that an atomic instruction has reached in a run. */
#ifndef RFS_ATOMICS_H
#define RFS_ATOMICS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_run;

void rfs_atomics_add(struct rfs_run *run, rfs_addr address);
bool rfs_atomics_has(const struct rfs_run *run, rfs_addr address);
void rfs_atomics_copy(const struct rfs_run *from, struct rfs_run *to);
void rfs_atomics_release(struct rfs_run *run);

#endif
