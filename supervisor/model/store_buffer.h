/*
 * store_buffer.h - the store buffer of one thread: stores that it has executed and that no other thread sees yet.
 *
 * This is the store buffer of x86-TSO (Owens, Sarkar and Sewell, A Better x86 Memory Model: x86-TSO, TPHOLs 2009,
 * section 3): stores leave it in the order in which they entered it, and the thread itself reads them at once.
 *
 * One thread runs at a time. So while the thread runs, its stores are written to memory (shown), and every load finds
 * them, whatever its size and wherever its code is. Before any other thread runs, memory gets back what it had
 * (hidden).
 */
#ifndef RFS_MODEL_STORE_BUFFER_H
#define RFS_MODEL_STORE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

struct rfs_model_memory;

#define RFS_STORE_MAX 64 /* bytes of the largest store that can be delayed */

struct rfs_store {
	rfs_addr address;
	size_t size;
	bool follows; /* it becomes visible together with the store before it */
	rfs_site site;
	unsigned char value[RFS_STORE_MAX]; /* what it writes */
	unsigned char under[RFS_STORE_MAX]; /* while it is shown: what memory had before */
};

/* All zero: empty. Stores are in the order in which they were executed. */
struct rfs_store_buffer {
	struct rfs_store *stores;
	size_t n, capacity;
	bool shown;
};

/*
 * Adds a store that the thread has just executed. The buffer must be shown. under, value: what memory had before the
 * store and has now. size is at most RFS_STORE_MAX. Returns the store, so that the caller can set what is not known
 * here; borrowed until the buffer changes.
 */
struct rfs_store *rfs_store_buffer_add(struct rfs_store_buffer *buffer, rfs_addr address, size_t size,
				       const void *under, const void *value);
/* Writes the stores to memory, because the thread runs now. */
void rfs_store_buffer_show(struct rfs_store_buffer *buffer, const struct rfs_model_memory *memory);
/* Gives memory back what it had, because the thread does not run any more. */
void rfs_store_buffer_hide(struct rfs_store_buffer *buffer, const struct rfs_model_memory *memory);
/* How many stores become visible in one step: the oldest, and those that follow it. 0: the buffer is empty. */
size_t rfs_store_buffer_next(const struct rfs_store_buffer *buffer);
bool rfs_store_buffer_overlaps(const struct rfs_store_buffer *buffer, rfs_addr address, uint64_t size);
/*
 * How many of the oldest stores must be visible before the thread may load this. A load that a store covers only in
 * part waits until that store is visible. If the youngest store that overlaps the load covers it, the load takes its
 * value from there, and nothing has to be visible.
 */
size_t rfs_store_buffer_before_load(const struct rfs_store_buffer *buffer, rfs_addr address, uint64_t size);
/* Makes the n oldest stores visible to all threads. */
void rfs_store_buffer_commit(struct rfs_store_buffer *buffer, const struct rfs_model_memory *memory, size_t n);
void rfs_store_buffer_release(struct rfs_store_buffer *buffer);

#endif
