/*
 * lanes.h - executes several tests of a batch at the same time, each in a copy of this process.
 *
 * A lane begins with what the session knows before the batch, and with no test of it. So what its test shows does not
 * depend on the other tests, nor on how many lanes there are. The session takes the results in the order of the batch.
 */
#ifndef RFS_LANES_H
#define RFS_LANES_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_planned_test;
struct rfs_session;

/* Executes tests, as many at a time as --jobs says, and keeps the answers. If a test is a bug, no more tests are
 * started. */
void rfs_lanes_execute(struct rfs_session *s, struct rfs_planned_test *tests, size_t n);

/* Whether a lane has found that the test is a bug. */
bool rfs_lanes_found_bug(const struct rfs_planned_test *test);

/*
 * Takes over the answer of a lane; then is_judged is true. It stays false if the test is a bug, because what follows
 * needs the test in this process, and if there is no answer. The caller executes such a test itself.
 */
void rfs_lanes_take(struct rfs_session *s, struct rfs_planned_test *test);

#endif
