/* lock_graph-priv.h - what lock_graph.c records of a run, and lock_cycles.c searches. */
#ifndef RFS_LOCK_GRAPH_PRIV_H
#define RFS_LOCK_GRAPH_PRIV_H

#include <uthash.h>

#include "policy/core/hb.h"
#include "policy/core/vclock.h"
#include "policy/detect/lock_graph.h"

/* For how many times of a request the clocks are kept: for the first times, and for the last one. */
#define LOCK_TIMES_MAX 8

/* A lock. Memory that was freed and used again may hold another one at the same address. */
struct graph_lock {
	rfs_addr address;
	uint64_t class;
	bool is_semaphore;
	bool is_used_otherwise; /* a semaphore that is not used as a lock */
	int taken_by;		/* of a semaphore: the thread that has taken it; -1: none */
};

struct graph_hold {
	uint32_t lock; /* index in the array locks */
	uint32_t how;
	rfs_site site;
};

/* When a thread made a request: its own time, and what it knew of the others. */
struct graph_time {
	uint64_t own;
	struct rfs_vclock knows;
};

/* What identifies a request. Compared as bytes, so it must have no padding. */
struct graph_request_key {
	uint32_t thread;
	uint32_t n_held;
	struct graph_hold wanted;
	struct graph_hold held[];
};

struct graph_request {
	UT_hash_handle hh; /* key: *key */
	struct graph_time times[LOCK_TIMES_MAX];
	size_t n_times;
	struct graph_request_key *key; /* owned */
};

struct graph_holder {
	struct graph_hold *holds;
	uint32_t *counts; /* of each hold */
	size_t n, holds_capacity, counts_capacity;
};

struct lock_page;

struct rfs_lock_graph {
	struct rfs_hb hb;
	struct graph_lock *locks;
	size_t n_locks, locks_capacity;
	struct lock_page *pages;      /* uthash: the current locks of each page */
	struct graph_holder *holders; /* by thread number */
	size_t holders_capacity;
	struct graph_request *by_key;	 /* uthash */
	struct graph_request **requests; /* in the order of their first time */
	size_t n_requests, requests_capacity;
	struct graph_request_key *scratch;
	size_t scratch_capacity; /* in holds */
	bool is_full;		 /* there were more requests than fit */
};

#endif
