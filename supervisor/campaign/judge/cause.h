/*
 * cause.h - finds the race that a failure of prediction or exploration depends on.
 *
 * Such a run has no pair under test. But its trace shows which operations were accesses at the statements of a pair.
 * Two such accesses of two threads to the same memory may race. The run is made again up to the first of them, and that
 * thread is postponed until the second one arrives. This creates the race, and its order is tested as for a run of the
 * pair (harm.h). Races near the failure are tried first. If the order decides, the failure is attributed to the pair,
 * which then shows a run of the test.
 *
 * A pair that only a second look at a failure has shown (second_look.h) is tried too, even if no run has created it.
 */
#ifndef RFS_CAUSE_H
#define RFS_CAUSE_H

struct rfs_campaign;
/*
 * Tests the failures that no pair has. Call it before rfs_judge_end(),
 * which corrects the values of p of all tests.
 */
void rfs_causes_test(struct rfs_campaign *c);

#endif
