/* oracle.h - the sequential orders of a test's calls, its linearisations. */
#ifndef RFS_ORACLE_H
#define RFS_ORACLE_H

#include <stddef.h>

struct rfs_sequence;

#define RFS_ORDER_MAX 16 /* the most calls of both suffixes */

/*
 * All interleavings of the calls of the two suffixes of a test, which keep the order of calls in each suffix. Each is a
 * string of digits: which suffix executes its next call. In the first string, all calls of suffix 1 come first; in the
 * last string, all calls of suffix 2. Returns how many; the caller frees *out. A test with more than RFS_ORDER_MAX
 * calls has none.
 */
size_t rfs_linearisations(const struct rfs_sequence *test, char (**out)[RFS_ORDER_MAX + 1]);

#endif
