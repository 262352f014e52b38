/* heap.h - follows the blocks of the target's heap. */
#ifndef RFS_HEAP_H
#define RFS_HEAP_H

#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/rewrite/stub.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_call;

/* The thread is at the entry of a function that allocates or frees. */
enum rfs_then rfs_enter_allocate(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_free(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* Handles what the stub of an allocator recorded. */
void rfs_heap_recorded(struct rfs_run *run, struct rfs_thread *thread, enum rfs_operand_kind kind, uint64_t value);
/* The size of a block: as the heap knows it, otherwise from the word before it. Never 0; 1 if it is unknown. */
uint64_t rfs_heap_chunk_size(const struct rfs_run *run, rfs_addr block);

#endif
