/*
 * suspects.h - the granules of the target's memory at which accesses may race. A first pass of a run finds them
 * (history.h, RFS_HISTORY_PLACES); a second pass of the same run then remembers accesses to these granules only.
 */
#ifndef RFS_SUSPECTS_H
#define RFS_SUSPECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/core/pagemap.h"
#include "policy/operations.h"

struct rfs_blob;

/* Zeroed memory is the empty set. rfs_suspects_release() frees the memory inside. */
struct rfs_suspects {
	struct rfs_pagemap pages; /* by page: the suspects in it, a struct rfs_granule_set */
};

/* Adds the granule that contains this address. */
void rfs_suspects_add(struct rfs_suspects *suspects, rfs_addr address);
/* Whether a suspect is in this memory. */
bool rfs_suspects_any(struct rfs_suspects *suspects, rfs_addr address, uint64_t size);

/* Calls f with the start of each page that has suspects, from the page of first to that of last, in no particular
 * order. */
void rfs_suspects_visit_pages(struct rfs_suspects *suspects, rfs_addr first, rfs_addr last,
			      void (*f)(void *arg, rfs_addr page), void *arg);

/* Stores the set in *out, as bytes that only this build of rfsup reads. The caller frees out->data, which is NULL if
 * the set is empty. */
void rfs_suspects_save(const struct rfs_suspects *suspects, struct rfs_blob *out);
/* Adds a saved set. 0, or -EINVAL if the bytes are not a saved set. */
int rfs_suspects_load(struct rfs_suspects *suspects, const struct rfs_blob *blob) __attribute__((warn_unused_result));

/* Calls f for each range of memory in a saved set. 0, or -EINVAL if the bytes are not a saved set. */
int rfs_suspects_saved(const struct rfs_blob *blob, void (*f)(void *arg, rfs_addr address, uint64_t size), void *arg)
	__attribute__((warn_unused_result));

void rfs_suspects_release(struct rfs_suspects *suspects);

#endif
