/*
 * sync_words.h - the words that give happens-before: locks, and words that atomic instructions have accessed. Each has
 * the clocks that its releases and stores have left there.
 */
#ifndef RFS_SYNC_WORDS_H
#define RFS_SYNC_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/core/pagemap.h"
#include "policy/core/vclock.h"
#include "policy/operations.h"

struct rfs_sync_word {
	rfs_addr address;
	struct rfs_sync_word *next; /* the next one in the same page */
	int owner;		    /* thread with the exclusive hold; -1: none */
	unsigned holds;		    /* number of holds of the owner (recursive locks) */
	struct rfs_vclock writer;   /* joined clocks of exclusive holders; or what a reader of an atomic word learns */
	struct rfs_vclock reader;   /* joined clocks of shared holders; only exclusive acquisitions learn it */
	struct rfs_vclock updater;  /* of an atomic word: joined clocks of read-modify-writes since the last store; only
				       the hybrid detector uses it */
	bool atomic;		    /* an atomic instruction has accessed it, or a message was sent with it */
};

#define RFS_SYNC_RECENT_SHIFT 12
/* 16 KiB: fits into the first-level cache, and a thousand atomic words fill less than 1 % */
#define RFS_SYNC_FILTER_SHIFT 17

/* Zeroed memory has no words. rfs_sync_words_release() frees the memory inside. */
struct rfs_sync_words {
	struct rfs_pagemap pages;
	/* A cache of recent lookups, by address. An entry is cleared when its memory gets a new use. */
	struct rfs_sync_word *recent[1u << RFS_SYNC_RECENT_SHIFT];
	/* A Bloom filter of the addresses of atomic words. It is fast to check, and most plain accesses are not to an
	 * atomic word. */
	uint64_t atomics[(1u << RFS_SYNC_FILTER_SHIFT) / 64];
};

/* The word at this address; NULL if there is none. Valid until its memory is reset, like all words returned here. */
struct rfs_sync_word *rfs_sync_word_find(struct rfs_sync_words *words, rfs_addr address);
/* The word at this address, made if needed. */
struct rfs_sync_word *rfs_sync_word_get(struct rfs_sync_words *words, rfs_addr address);
/* The word at this address if it is atomic; otherwise NULL. */
struct rfs_sync_word *rfs_sync_word_find_atomic(struct rfs_sync_words *words, rfs_addr address);
/* The word at this address, which is atomic from now on. */
struct rfs_sync_word *rfs_sync_word_make_atomic(struct rfs_sync_words *words, rfs_addr address);
/* Forgets all words in this memory, because it gets a new use. size > 0. */
void rfs_sync_words_reset(struct rfs_sync_words *words, rfs_addr address, uint64_t size);
void rfs_sync_words_release(struct rfs_sync_words *words);

#endif
