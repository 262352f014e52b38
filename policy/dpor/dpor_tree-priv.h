/* dpor_tree-priv.h - the inside of a tree (dpor_tree.h), for dpor_tree.c and dpor_races.c. */
#ifndef RFS_DPOR_TREE_PRIV_H
#define RFS_DPOR_TREE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/dpor/dpor_path.h"
#include "policy/dpor/dpor_run.h"
#include "policy/dpor/dpor_tree.h"
#include "policy/dpor/dpor_wake.h"

enum rfs_dpor_branch_state {
	RFS_DPOR_WAITING, /* for an execution */
	RFS_DPOR_GIVEN,	  /* an execution was given and is not taken yet */
	RFS_DPOR_RAN,
	RFS_DPOR_STRAYED, /* its execution did not follow its plan */
};

struct rfs_dpor_node;

/* A choice at a node. The clock and the child are valid if it RAN. */
struct rfs_dpor_branch {
	struct rfs_dpor_wake wake; /* the choice, and while it has not run, what its executions begin with */
	enum rfs_dpor_branch_state state;
	uint32_t *clock; /* owned */
	size_t n_clock;
	struct rfs_dpor_node *child; /* NULL: the execution ended, or all below is done */
};

struct rfs_dpor_node {
	struct rfs_dpor_node *parent;
	size_t from; /* the branch of the parent that leads here */
	size_t depth;
	int last; /* the thread of this branch; 0 at the root, where thread 0 has created the second thread */
	uint32_t preemptions;
	struct rfs_dpor_option *options;
	size_t n_options;
	bool held_back; /* a thread could run but had to let others run first */
	struct rfs_dpor_branch *branches;
	size_t n_branches, capacity, n_waiting;
	struct rfs_dpor_asleep *asleep;
	size_t n_asleep;
	uint64_t open; /* branches here and below that are waiting or given */
	bool listed;   /* in the list of the tree */
};

/* A plan that was given. node NULL: the first one, which has no choices. */
struct rfs_dpor_given {
	struct rfs_dpor_node *node;
	size_t branch;
};

struct rfs_dpor_point {
	uint64_t site, kind;
};

struct rfs_dpor_tree {
	uint32_t bound;
	bool begun;
	bool maximal; /* the execution that is being taken has run to its end */
	struct rfs_dpor_node *root;
	struct rfs_dpor_node **waiting; /* nodes with branches that wait, the deepest ones last */
	size_t n_waiting, waiting_capacity;
	struct rfs_dpor_given *given; /* in their order */
	size_t n_given, given_capacity;
	uint64_t branches_waiting;
	struct rfs_dpor_counts counts;
	struct rfs_dpor_point *points; /* sorted */
	size_t points_capacity;
	/* The execution that is being taken: the node before each event, and the events. */
	struct rfs_dpor_node **nodes;
	size_t nodes_capacity;
	struct rfs_dpor_next *ran;
	size_t ran_capacity;
	struct rfs_dpor_path path;
	struct rfs_dpor_next *sequence; /* scratch */
	size_t sequence_capacity;
};

/* ---- dpor_tree.c ---- */

bool rfs_dpor_is_bounded(const struct rfs_dpor_tree *tree);
/* The option of a node, as a choice. */
struct rfs_dpor_choice rfs_dpor_choice_of(const struct rfs_dpor_option *option);
/* Whether the choice could be made at the node. */
bool rfs_dpor_has_option(const struct rfs_dpor_node *node, const struct rfs_dpor_choice *choice);
bool rfs_dpor_can_run(const struct rfs_dpor_node *node, int thread, bool awake);
/* The branch owns what is in the wakeup tree. */
void rfs_dpor_add_branch(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, struct rfs_dpor_wake wake);
/* Adds all choices of the thread, unless they are there. */
void rfs_dpor_add_thread(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, int thread);
void rfs_dpor_add_all_threads(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node);

/* ---- dpor_races.c ---- */

/* Looks for the races whose second operation is this event of the path, and adds what reverses them. */
void rfs_dpor_find_races(struct rfs_dpor_tree *tree, size_t j);

#endif
