/*
 * violation.h - a predicted atomicity violation: three accesses. A thread makes the first and the second one in two
 * sections, and another thread could make the remote one between them (policy/detect/atomicity.h).
 *
 * Or an order violation: the first operation came before the remote one, and could have come after it. second is where
 * the first thread acquires the lock that both hold; its site has no module and offset 0 if there is no such lock.
 */
#ifndef RFS_VIOLATION_H
#define RFS_VIOLATION_H

#include <stddef.h>
#include <stdint.h>

#include "policy/detect/atomicity.h"
#include "supervisor/symbols/place.h"

struct rfs_violation_access {
	int thread;	       /* in the run that predicted the violation; -1: the user named it */
	unsigned access;       /* enum rfs_access_flags */
	struct rfs_place site; /* of the instruction */
};

struct rfs_violation {
	enum rfs_atomicity_pattern pattern;
	struct rfs_violation_access first, remote, second;
	struct rfs_object data; /* what all three access */
	/* Of two variables (rfs_atomicity_is_double()): second and also access this one, and also is the remote
	 * thread's. */
	struct rfs_violation_access also;
	struct rfs_object beside;
	uint64_t apart;		/* beside's address minus data's; 0: it differs from run to run */
	struct rfs_object lock; /* what protects each of them */
	bool locked;		/* lock is valid; otherwise there is none */
	unsigned rank;		/* as in struct rfs_atomicity_violation */
	uint64_t distance;
};

struct rfs_violations {
	struct rfs_violation *list;
	size_t n;
};

/* Whether the first operation (which: 0) or the remote one (1) is a call, named by its return address. Otherwise it is
 * an access. The end of a thread counts as a call that returns to the start routine plus 1. */
bool rfs_violation_is_call(enum rfs_atomicity_pattern pattern, int which);
/* Whether the same instructions make the three accesses. */
bool rfs_violation_is_same(const struct rfs_violation *a, const struct rfs_violation *b);
/* Free what the argument owns, and set it to zero. */
void rfs_violation_release(struct rfs_violation *violation);
void rfs_violations_release(struct rfs_violations *violations);

#endif
