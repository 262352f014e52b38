/* core.h - which core a process runs on. */
#ifndef RFS_CORE_H
#define RFS_CORE_H

#include <sched.h>

/*
 * The core of process `number` of several: they take the cores of the set in turn, beginning with `first`, on which
 * their parent has started. The kernel spreads processes that start at the same time, so the children of two parents
 * begin with different cores. -1: the set is empty, or first is -1.
 */
int rfs_core_of(const cpu_set_t *cores, int first, unsigned number);

/* Lets this process run on this core only. Does nothing if core is -1 or the kernel refuses: then any core will do. */
void rfs_core_pin(int core);

#endif
