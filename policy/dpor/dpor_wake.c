/* dpor_wake.c - inserts sequences into the tree of a branch, and takes them out one by one. */
#include "policy/dpor/dpor_wake.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"

bool rfs_dpor_same_choice(const struct rfs_dpor_choice *a, const struct rfs_dpor_choice *b)
{
	return a->thread == b->thread && a->waiter == b->waiter && a->outcome == b->outcome;
}

static bool dpor_wake_depend(const struct rfs_dpor_next *a, const struct rfs_dpor_next *b)
{
	return a->on_all || b->on_all || rfs_dependent(a->choice.thread, &a->op, b->choice.thread, &b->op);
}

int rfs_dpor_wake_first(const struct rfs_dpor_next *first, struct rfs_dpor_next *sequence, size_t n)
{
	struct rfs_dpor_next self = *first;
	size_t at = 0;

	while (at < n && sequence[at].choice.thread != first->choice.thread)
		at++;
	if (at < n) {
		if (!rfs_dpor_same_choice(&sequence[at].choice, &first->choice)) {
			sequence[at].kept = true;
			return RFS_DPOR_AFTER;
		}
		self = sequence[at];
	} else if (first->op.kind == RFS_OP_NONE) {
		return RFS_DPOR_AFTER;
	}
	for (size_t i = 0; i < at; i++)
		if (dpor_wake_depend(&sequence[i], &self)) {
			sequence[i].kept = true;
			return RFS_DPOR_AFTER;
		}
	return at < n ? (int)at : RFS_DPOR_BESIDE;
}

void rfs_dpor_wake_remove(struct rfs_dpor_next *sequence, size_t *n, size_t at)
{
	memmove(&sequence[at], &sequence[at + 1], (--*n - at) * sizeof(*sequence));
}

/* Keeps what the operations that are kept depend on, and removes the others. */
static void trim(struct rfs_dpor_next *sequence, size_t *n)
{
	size_t left = 0;

	for (size_t i = *n; i-- > 0;)
		for (size_t k = i + 1; k < *n && !sequence[i].kept; k++)
			sequence[i].kept =
				sequence[k].kept && (sequence[k].choice.thread == sequence[i].choice.thread ||
						     dpor_wake_depend(&sequence[i], &sequence[k]));
	for (size_t i = 0; i < *n; i++)
		if (sequence[i].kept)
			sequence[left++] = sequence[i];
	*n = left;
}

void rfs_dpor_wake_chain(struct rfs_dpor_wake *tree, struct rfs_dpor_next *sequence, size_t n)
{
	trim(sequence, &n);
	for (size_t i = 0; i < n; i++) {
		tree->then = rfs_policy_grow(tree->then, &tree->capacity, tree->n + 1, sizeof(*tree->then));
		tree->then[tree->n] = (struct rfs_dpor_wake){.next = sequence[i]};
		tree = &tree->then[tree->n++];
	}
}

void rfs_dpor_wake_insert(struct rfs_dpor_wake *tree, struct rfs_dpor_next *sequence, size_t n)
{
	/* after a leaf, an execution goes on as it likes, and finds the rest */
	while (n && tree->n) {
		struct rfs_dpor_wake *child = NULL;

		for (size_t i = 0; i < tree->n && !child; i++) {
			const int at = rfs_dpor_wake_first(&tree->then[i].next, sequence, n);

			if (at == RFS_DPOR_AFTER)
				continue;
			if (at >= 0)
				rfs_dpor_wake_remove(sequence, &n, (size_t)at);
			child = &tree->then[i];
		}
		if (!child) {
			rfs_dpor_wake_chain(tree, sequence, n);
			return;
		}
		tree = child;
	}
}

/* Not recursive, because a sequence may be long. */
void rfs_dpor_wake_release(struct rfs_dpor_wake *tree)
{
	while (tree->n) {
		struct rfs_dpor_wake last = tree->then[tree->n - 1];

		if (!last.n) {
			free(last.then);
			tree->n--;
			continue;
		}
		/* its children become children of the tree */
		tree->n--;
		tree->then = rfs_policy_grow(tree->then, &tree->capacity, tree->n + last.n, sizeof(*tree->then));
		memcpy(&tree->then[tree->n], last.then, last.n * sizeof(*last.then));
		tree->n += last.n;
		free(last.then);
	}
	free(tree->then);
	*tree = (struct rfs_dpor_wake){.next = tree->next};
}
