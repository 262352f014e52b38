/*
 * suite.h - the tests of one type: prefixes, suffixes, and which of their combinations comes next (Pradel and Gross,
 * PLDI 2012, section 3.1). Pairs of methods that were seldom executed together come first (Choudhary, Lu and Pradel,
 * ICSE 2017).
 */
#ifndef RFS_SUITE_H
#define RFS_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/generate/tests/sequence.h"

struct rfs_generator;
struct rfs_library_type;
struct rfs_suite;

struct rfs_suite *rfs_suite_new(struct rfs_generator *generator, const struct rfs_library_type *type);
void rfs_suite_free(struct rfs_suite *suite);

enum rfs_suite_next {
	RFS_SUITE_TEST,
	RFS_SUITE_NO_OBJECT, /* no constructor works */
	RFS_SUITE_NO_CALL,   /* no method works */
	RFS_SUITE_BROKEN,    /* the generator's driver does not answer */
};

struct rfs_suite_test {
	struct rfs_sequence sequence; /* the caller releases it */
	int object;		      /* its variable */
	bool is_new;		      /* it has a pair of methods that no earlier test had */
	size_t made_of[3];	      /* for the suite: the numbers of its prefix and suffixes */
};

/* Makes the next test. Several tests may be made before the first of them is executed. */
enum rfs_suite_next rfs_suite_next(struct rfs_suite *suite, struct rfs_suite_test *out);
/* Notes that the test was executed. telling: as in rfs_call_pairs_executed(). */
void rfs_suite_executed(struct rfs_suite *suite, const struct rfs_suite_test *test, bool telling);

enum rfs_suite_order {
	RFS_SUITE_PASSED,
	RFS_SUITE_FAILED,
	RFS_SUITE_UNDEFINED, /* a call misused a lock */
};

/* Notes what the sequential orders of the test showed. */
void rfs_suite_ordered(struct rfs_suite *suite, const struct rfs_suite_test *test, enum rfs_suite_order order);
/* Pairs of methods that were executed concurrently. */
size_t rfs_suite_pairs(const struct rfs_suite *suite);

#endif
