/*
 * dpor_races.c - looks for races in an execution of the tree, and adds the schedules that reverse them.
 */
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/op.h"
#include "policy/dpor/dpor_path.h"
#include "policy/dpor/dpor_tree-priv.h"
#include "policy/dpor/dpor_wake.h"

/* The most bytes that an instruction surely moves at once. */
#define MOVE_MOST 8

/* The schedule in which the second operation of a race comes before the first one. */
static size_t reversed_order(struct rfs_dpor_tree *tree, size_t i, size_t j)
{
	size_t n = 0;

	tree->sequence =
		rfs_policy_grow(tree->sequence, &tree->sequence_capacity, tree->path.n, sizeof(*tree->sequence));
	for (size_t k = i + 1; k < tree->path.n; k++) {
		if (k != j && rfs_dpor_path_before(&tree->path, i, k))
			continue;
		tree->sequence[n] = tree->ran[k];
		tree->sequence[n++].kept = k == j;
	}
	return n;
}

/* Whether a schedule that begins with the operation covers the sequence. */
static int dpor_races_find_first(const struct rfs_dpor_tree *tree, const struct rfs_dpor_next *first, size_t n)
{
	const int at = rfs_dpor_wake_first(first, tree->sequence, n);

	return at == RFS_DPOR_BESIDE && !tree->maximal ? RFS_DPOR_AFTER : at;
}

/* Moves an operation that can come first, and that can be chosen at the node, to the beginning of the sequence. */
static bool make_first(const struct rfs_dpor_tree *tree, const struct rfs_dpor_node *node, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rfs_dpor_next next = tree->sequence[i];

		if (!rfs_dpor_has_option(node, &next.choice) || rfs_dpor_wake_first(&next, tree->sequence, n) != (int)i)
			continue;
		memmove(&tree->sequence[1], &tree->sequence[0], i * sizeof(next));
		tree->sequence[0] = next;
		return true;
	}
	return false;
}

/* Adds the sequence at the node, unless its schedules are covered. False if it is not possible there. */
static bool add_sequence(struct rfs_dpor_tree *tree, struct rfs_dpor_node *node, size_t n)
{
	struct rfs_dpor_wake wake;

	for (size_t k = 0; k < node->n_asleep; k++) {
		const struct rfs_dpor_asleep *a = &node->asleep[k];

		if (dpor_races_find_first(tree, &(struct rfs_dpor_next){a->choice, a->op, a->on_all, false}, n) !=
		    RFS_DPOR_AFTER)
			return true;
	}
	for (size_t k = 0; k < node->n_branches; k++) {
		struct rfs_dpor_branch *branch = &node->branches[k];
		const int at = dpor_races_find_first(tree, &branch->wake.next, n);

		if (at == RFS_DPOR_AFTER)
			continue;
		if (at >= 0)
			rfs_dpor_wake_remove(tree->sequence, &n, (size_t)at);
		if (branch->state == RFS_DPOR_WAITING)
			rfs_dpor_wake_insert(&branch->wake, tree->sequence, n);
		return true;
	}
	if (!make_first(tree, node, n)) {
		if (node->held_back)
			rfs_dpor_add_all_threads(tree, node); /* a third thread may let the second one run */
		return false;
	}
	tree->sequence[0].kept = true;
	wake = (struct rfs_dpor_wake){.next = tree->sequence[0]};
	rfs_dpor_wake_chain(&wake, &tree->sequence[1], n - 1);
	rfs_dpor_add_branch(tree, node, wake);
	return true;
}

/* Adds the reversed order of a race where its first operation was chosen. False if that is not possible. */
static bool add_reversed(struct rfs_dpor_tree *tree, size_t i, size_t j)
{
	struct rfs_dpor_node *node = tree->nodes[i];
	const int thread = tree->path.events[j].thread;
	bool possible = false;

	if (rfs_dpor_has_option(node, &tree->ran[j].choice) || !rfs_dpor_can_run(node, thread, false) ||
	    tree->path.events[j].before > i)
		return add_sequence(tree, node, reversed_order(tree, i, j));
	/* the thread waits before this operation already, which has another outcome then */
	for (size_t k = 0; k < node->n_options; k++) {
		size_t n;

		if (node->options[k].thread != thread)
			continue;
		n = reversed_order(tree, i, j);
		for (size_t m = 0; m < n; m++)
			if (tree->sequence[m].choice.thread == thread)
				tree->sequence[m].choice = rfs_dpor_choice_of(&node->options[k]);
		possible |= add_sequence(tree, node, n);
	}
	return possible;
}

/*
 * Adds all threads at the node of the first operation of a race, and where its thread began to run without a
 * preemption. Before that, the thread could not run all the time.
 */
static void add_conservatively(struct rfs_dpor_tree *tree, size_t i)
{
	const int thread = tree->path.events[i].thread;

	rfs_dpor_add_all_threads(tree, tree->nodes[i]);
	for (size_t k = i + 1; k-- > 0;) {
		struct rfs_dpor_node *node = tree->nodes[k];

		if (tree->path.events[k].thread == thread && !rfs_dpor_can_run(node, node->last, true))
			rfs_dpor_add_all_threads(tree, node);
		if (!rfs_dpor_can_run(node, thread, true))
			break;
	}
}

/* Whether an access such as that of memcpy may be torn at more places than the schedule tries. */
static bool is_long(const struct rfs_op *op)
{
	return rfs_op_is_access(op->kind) && (op->access & RFS_ACCESS_RANGE) && !(op->access & RFS_ACCESS_FREE) &&
	       op->size > MOVE_MOST;
}

void rfs_dpor_find_races(struct rfs_dpor_tree *tree, size_t j)
{
	const int thread = tree->path.events[j].thread;
	size_t reversed = j; /* the first operation of the last race that another schedule may reverse */

	for (size_t i = j; i-- > 0;) {
		if (!rfs_dpor_path_races(&tree->path, i, j))
			continue;
		tree->counts.torn |= is_long(&tree->ran[i].op) || is_long(&tree->ran[j].op);
		/* also if the second operation waited then: a switch away from a thread that waits costs nothing */
		if (rfs_dpor_is_bounded(tree)) {
			add_conservatively(tree, i);
			continue;
		}
		/* the second operation cannot come first, because it waited then */
		if (rfs_dpor_path_enables(&tree->path, i, j) ||
		    (!rfs_dpor_can_run(tree->nodes[i], thread, false) && !tree->nodes[i]->held_back &&
		     !rfs_dpor_path_needs(&tree->path, i, j)))
			continue;
		if (tree->path.events[j].never_waits && reversed < j && rfs_dpor_path_before(&tree->path, i, reversed))
			continue; /* in that schedule, the two are a race without an operation between them */
		else if (add_reversed(tree, i, j))
			reversed = i;
	}
}
