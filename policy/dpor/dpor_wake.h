/*
 * dpor_wake.h - wakeup trees (Abdulla, Aronis, Jonsson & Sagonas, POPL 2014, section 4): with which operations the next
 * executions begin, so that none of them turns out to repeat another one.
 *
 * A *sequence* is the operations that an execution should begin with at a node, each with its choice. The tree of a
 * branch has the sequences that follow it there. An execution takes the first one.
 */
#ifndef RFS_DPOR_WAKE_H
#define RFS_DPOR_WAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/dpor/dpor_run.h"

/* A choice, and the operation that it executes. */
struct rfs_dpor_next {
	struct rfs_dpor_choice choice; /* check is not used */
	struct rfs_op op;	       /* kind NONE: not known yet */
	bool on_all;		       /* depends on all others */
	bool kept;		       /* in a sequence: needed, with all that it depends on */
};

/* The sequences after one choice. Zeroed memory is an empty tree. */
struct rfs_dpor_wake {
	struct rfs_dpor_next next;
	struct rfs_dpor_wake *then; /* in the order of their executions */
	size_t n, capacity;
};

bool rfs_dpor_same_choice(const struct rfs_dpor_choice *a, const struct rfs_dpor_choice *b);

/* Where an operation may come in a sequence that it begins. */
enum {
	RFS_DPOR_AFTER = -1,
	/* not at its beginning */ RFS_DPOR_BESIDE = -2 /* not in it, and depends on none of it */
};

/*
 * Whether the operation can come first: a weak initial of the paper. Returns its index in the sequence, or one of the
 * above. If it cannot, the operation of the sequence that must come before is kept.
 */
int rfs_dpor_wake_first(const struct rfs_dpor_next *first, struct rfs_dpor_next *sequence, size_t n);
/* Removes an operation from the sequence. */
void rfs_dpor_wake_remove(struct rfs_dpor_next *sequence, size_t *n, size_t at);

/*
 * Adds a sequence to a tree, unless one of its sequences leads to the same schedules. Changes the sequence. In the tree
 * are only those of its operations that are kept, and what they depend on.
 */
void rfs_dpor_wake_insert(struct rfs_dpor_wake *tree, struct rfs_dpor_next *sequence, size_t n);
/* Makes the sequence the only one of an empty tree. */
void rfs_dpor_wake_chain(struct rfs_dpor_wake *tree, struct rfs_dpor_next *sequence, size_t n);
/* Frees what is in the tree, not the tree itself. */
void rfs_dpor_wake_release(struct rfs_dpor_wake *tree);

#endif
