/*
 * atomic_words.h - the words that atomic instructions have reached, each with a vector clock, for happens-before edges.
 *
 * Atomic instructions acquire and release. Compilers turn acquire loads and release stores into plain moves, so a plain
 * move at such a word orders too: a read acquires; a write begins a new release sequence (C11, 5.1.2.4), so that it
 * replaces what earlier writers released.
 */
#ifndef RFS_ATOMIC_WORDS_H
#define RFS_ATOMIC_WORDS_H

#include "policy/core/hb.h"
#include "policy/core/pagemap.h"
#include "policy/policy.h"

struct rfs_atomic_word;

#define RFS_ATOMIC_FILTER_SHIFT                                                                                        \
	17 /* 16 KiB: stays in the first-level cache, and a thousand words fill less than 1 %                          \
	    */

/* Zeroed memory is the empty set. */
struct rfs_atomic_words {
	struct rfs_pagemap pages;
	/* A Bloom filter: most plain accesses are not to an atomic word. */
	uint64_t filter[(1u << RFS_ATOMIC_FILTER_SHIFT) / 64];
};

/*
 * The word that this access orders by: an atomic instruction's, which is made if needed, or the known word of a plain
 * aligned move. NULL: the access orders nothing.
 */
struct rfs_atomic_word *rfs_atomic_word_of(struct rfs_atomic_words *words, const struct rfs_access *access);
/* The edges of the access that come before it and after it is compared with the past. A word NULL is allowed. */
void rfs_atomic_word_before(struct rfs_hb *hb, int thread, const struct rfs_atomic_word *word, unsigned access);
void rfs_atomic_word_after(struct rfs_hb *hb, int thread, struct rfs_atomic_word *word, unsigned access);
/* The word is a lock, which orders nothing by itself: its plain accesses are atomic. */
void rfs_atomic_word_is_lock(struct rfs_atomic_words *words, rfs_addr address);
/* How the access counts for the comparison with the past: enum rfs_access_flags. */
unsigned rfs_atomic_word_access(const struct rfs_atomic_word *word, unsigned access);
/* The thread sets this word by a message, see RFS_EVENT_SEND. */
void rfs_atomic_word_send(struct rfs_atomic_words *words, struct rfs_hb *hb, int thread, rfs_addr address);
/* These words no longer exist; size > 0. */
void rfs_atomic_words_reset(struct rfs_atomic_words *words, rfs_addr address, uint64_t size);
void rfs_atomic_words_release(struct rfs_atomic_words *words);

#endif
