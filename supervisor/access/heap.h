/* heap.h - keeps a list of the blocks of the target's heap: addresses, sizes, and who allocated them. */
#ifndef RFS_HEAP_H
#define RFS_HEAP_H

#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/rewrite/stub.h"
#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/* Handlers for a breakpoint at the entry of a function that allocates or frees. */
enum rfs_then rfs_enter_allocate(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* At the entry of mmap, in a run that lets it fail. */
enum rfs_then rfs_enter_mmap(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_free(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* Handles one stub record of a function that allocates or frees (allocators.h): `kind` says what `value` means. */
void rfs_heap_recorded(struct rfs_run *run, struct rfs_thread *thread, enum rfs_operand_kind kind, uint64_t value);
/*
 * The size of a block: from the list of blocks, otherwise from the C library's size field before the block. 1 if it is
 * unknown; never 0.
 */
uint64_t rfs_heap_chunk_size(const struct rfs_run *run, rfs_addr block);

#endif
