/* atomicity_pattern.h - what was predicted: atomicity violations and order violations, which atomicity.h explains. */
#ifndef RFS_ATOMICITY_PATTERN_H
#define RFS_ATOMICITY_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/operations.h"

/* Those of one variable, then those of two variables (section_pairs.h), and those of order violations. */
enum rfs_atomicity_pattern {
	RFS_ATOMICITY_RWW,
	RFS_ATOMICITY_RWR,
	RFS_ATOMICITY_WWR,
	RFS_ATOMICITY_WRW,
	RFS_ATOMICITY_R_WW_R, /* read x; write x and y; read y */
	RFS_ATOMICITY_R_WR_W,
	RFS_ATOMICITY_R_WW_W,
	RFS_ATOMICITY_W_RW_R,
	RFS_ATOMICITY_W_WW_R,
	RFS_ATOMICITY_W_RR_W,
	RFS_ATOMICITY_W_RW_W,
	RFS_ATOMICITY_W_WR_W,
	RFS_ATOMICITY_W_WW_W,
	RFS_ORDER_USE_FREE,
	RFS_ORDER_WAIT_SIGNAL,
	RFS_ORDER_INIT_USE,
	RFS_ORDER_USE_DESTROY, /* two calls */
	RFS_ORDER_CALL_FREE,   /* a call that uses an object, and an access that frees its memory */
	RFS_ORDER_USE_CLOSE,   /* two system calls */
	RFS_ORDER_USE_EXIT,    /* an access to a stack, and the end of its thread */
	RFS_ATOMICITY_PATTERNS
};

/* One of the three accesses. */
struct rfs_atomicity_access {
	rfs_site site;
	int thread;
	unsigned access;  /* enum rfs_access_flags */
	rfs_site acquire; /* where the thread acquired the lock; 0: none is common */
};

struct rfs_atomicity_violation {
	enum rfs_atomicity_pattern pattern;
	/* Of an order violation, first and remote are the operation that came first and the one that came later. second
	 * is where the thread of the first one can still be postponed: the site of the acquisition of the lock, or 0 if
	 * both have no lock in common. An access of 0 is a call, and its site is where the call returns to. */
	struct rfs_atomicity_access first, remote, second;
	/* Of two variables: first and remote are accesses to `address`, second and also are to `beside`. The remote
	 * thread may access either one first. Otherwise zero. */
	struct rfs_atomicity_access also;
	rfs_addr beside;
	rfs_addr address;  /* of the data; USE_CLOSE: the number of the descriptor; USE_EXIT: of the stack */
	rfs_addr lock;	   /* that all hold; 0: they are atomic accesses, a wait and a signal without a lock, or on two
			    * variables with a lock each */
	unsigned rank;	   /* smaller is more likely to be harmful */
	uint64_t distance; /* how many sections the remote one was away from the gap; 0: it was there */
};

/* Whether this is an atomicity violation on two variables. */
bool rfs_atomicity_is_double(enum rfs_atomicity_pattern pattern);
/* Whether this is an order violation. */
bool rfs_atomicity_is_order(enum rfs_atomicity_pattern pattern);
/* Such as "R-w-W" or "use after free"; never freed. */
const char *rfs_atomicity_pattern_name(enum rfs_atomicity_pattern pattern);

#endif
