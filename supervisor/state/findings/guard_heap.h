/* guard_heap.h - which block of the guard heap (--guard-heap) a thread was about to access when it got SIGSEGV. */
#ifndef RFS_GUARD_HEAP_H
#define RFS_GUARD_HEAP_H

#include <signal.h>

struct rfs_run;

/* A thread gets this signal. At SIGSEGV, notes the block in the result of the run, if there is one. */
void rfs_guard_heap_fault(struct rfs_run *run, const siginfo_t *info);

#endif
