/*
 * call_pairs.h - how often pairs of calls were executed together. A pair that was seldom executed weighs more
 * (Choudhary, Lu and Pradel, ICSE 2017). Two calls of the same methods may do different things: one finds a key, and
 * the other does not. So pairs also differ by what the calls do without concurrency, and by whether they share an
 * argument.
 */
#ifndef RFS_CALL_PAIRS_H
#define RFS_CALL_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/generate/tests/sequence.h"

struct rfs_call_pairs;

struct rfs_call_pairs *rfs_call_pairs_new(void);
void rfs_call_pairs_free(struct rfs_call_pairs *pairs);

/* Calls that are executed by one thread. */
struct rfs_calls {
	const struct rfs_sequence_call *list;
	size_t n;
};

/*
 * Returns the sum over the different pairs of a call of one thread and a call of the other. A pair that was never
 * executed counts 1, others less. A pair that a test has several times counts once: otherwise, tests that only repeat
 * one call would be the heaviest. object: the variable of the object that all calls share.
 */
double rfs_call_pairs_weight(const struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second,
			     int object);
/*
 * Notes that the calls will be executed. Several tests are planned before the first of them is executed, so the pairs
 * of a test weigh less from its plan on.
 */
void rfs_call_pairs_planned(struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second, int object);
/*
 * Notes that planned calls were executed. telling: they could have shown a bug. Otherwise the same pairs will most
 * likely show nothing again, so they weigh much less.
 */
void rfs_call_pairs_executed(struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second, int object,
			     bool telling);
/* Whether there is a pair of methods that no plan had yet, whatever its calls do. */
bool rfs_call_pairs_are_new(const struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second);
/* How many pairs of methods were executed concurrently. */
size_t rfs_call_pairs_count(const struct rfs_call_pairs *pairs);

#endif
