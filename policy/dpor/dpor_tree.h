/*
 * dpor_tree.h - which schedules an exploration executes: all that differ, each one once.
 *
 * Two schedules do not differ if one becomes the other by swaps of neighbouring operations that do not depend on each
 * other (core/dependence.h; Mazurkiewicz traces). The tree has a node for each state that an execution was in and that
 * may still need other choices, and a branch for each choice that was made there or will be. After each execution the
 * tree looks for races: two dependent operations of two threads that another schedule may execute in the other order.
 * Each race adds branches where the first of the two was chosen.
 *
 * Without a bound: wakeup trees and sleep sets (Abdulla, Aronis, Jonsson & Sagonas, POPL 2014, algorithm 2). A race
 * adds the whole beginning of a schedule that reverses it (dpor_wake.h), after the last operation of the execution. So
 * an execution does not turn out to repeat another one, with few exceptions: an operation that has ended the process, a
 * timeout, or a semaphore that a reversed schedule finds empty. Those executions are counted as redundant.
 *
 * With a bound, only schedules whose preemptions do not exceed it: conservative branches as in BPOR (Coons, Musuvathi &
 * McKinley, OOPSLA 2013). A race adds all threads that can run, where the first operation was chosen and where its
 * thread last began to run without a preemption. This also holds if the second operation had to wait for the first one:
 * its thread may come to wait earlier, and then the switch away from it is no preemption. There are no sleep sets: the
 * representative that they keep may have more preemptions than the bound.
 *
 * Four rules extend the papers. If an operation ends the process while other threads could still run, it depends on
 * all operations. Operations that threads were waiting for at the end take part in races. Each outcome of an operation
 * that may time out, and each thread that a signal may wake, is a branch.
 *
 * Executions can be made at the same time: rfs_dpor_next() gives several plans, and rfs_dpor_add() takes their traces
 * in the same order. The tree is a function of the traces and of how many plans each call asked for.
 */
#ifndef RFS_DPOR_TREE_H
#define RFS_DPOR_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_blob;
struct rfs_dpor_tree;

#define RFS_DPOR_UNBOUNDED UINT32_MAX

struct rfs_dpor_counts {
	uint64_t complete;  /* executions that differ from all others; with a bound, they may not differ */
	uint64_t redundant; /* executions that turned out to repeat others */
	uint64_t cut;	    /* executions that were too long: what follows their steps is not covered */
	uint64_t strayed;   /* executions that did not follow their plan */
	uint64_t repeated;  /* executions that left out a round of a loop that waits (loops.h) */
	uint64_t timed;	    /* executions in which other threads ran before time could pass to a deadline */
	uint64_t points;    /* different places in the code at which several threads could run */
	uint64_t steps;	    /* of the longest execution */
	bool torn;	    /* an access of many bytes raced, which has more parts than its operations */
	bool bounded;	    /* the bound has left schedules out */
};

/* bound: the most preemptions of a schedule. Free with rfs_dpor_tree_free(). */
struct rfs_dpor_tree *rfs_dpor_tree_new(uint32_t bound);
void rfs_dpor_tree_free(struct rfs_dpor_tree *tree);

/*
 * Writes up to `most` plans to out, for executions under the policy dpor. The caller frees their data. Returns how
 * many; 0 if all plans were given. If no execution is in progress either, the exploration is complete.
 */
size_t rfs_dpor_next(struct rfs_dpor_tree *tree, struct rfs_blob *out, size_t most);
/* Takes what an execution saved: that of the first plan that was given and not taken yet. 0, or -EINVAL: damaged. */
int rfs_dpor_add(struct rfs_dpor_tree *tree, const struct rfs_blob *saved) __attribute__((warn_unused_result));
/* How many executions are known to be missing, those in progress included. 0: the exploration is complete. */
uint64_t rfs_dpor_waiting(const struct rfs_dpor_tree *tree);

void rfs_dpor_counts(const struct rfs_dpor_tree *tree, struct rfs_dpor_counts *out);

#endif
