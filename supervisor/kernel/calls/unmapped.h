/*
 * unmapped.h - pages that the target has unmapped.
 *
 * They get a new life when memory is mapped there again, and not before: a thread may still access them, which is a use
 * after unmap. A run that predicts stops at each call that maps memory (rfs_object_calls_followed()). At the entry of
 * such a call nobody knows where the new memory will be, so all pages that were unmapped until then get a new life.
 * Other runs do not stop there, so pages get their new life at once.
 */
#ifndef RFS_UNMAPPED_H
#define RFS_UNMAPPED_H

#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;

/* The thread is about to unmap this memory. */
void rfs_unmapped_add(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size);
/* The thread is about to map memory. */
void rfs_unmapped_renew(struct rfs_run *run, struct rfs_thread *thread);
void rfs_unmapped_release(struct rfs_run *run);

#endif
