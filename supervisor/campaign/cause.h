/*
 * cause.h - finds the race that a failure of prediction or exploration depends on.
 *
 * Such a run has no pair under test. But its trace shows which operations were accesses at the statements of a pair.
 * The run is followed up to two of them, of two threads and to the same memory: the first thread is held until the
 * second one arrives. Then the race is created, and its order is tested like that of a run of the pair (harm.h). Races
 * near the failure are tried first. If the order decides, the failure is one of the pair, shown by a run of the test.
 */
#ifndef RFS_CAUSE_H
#define RFS_CAUSE_H

struct rfs_campaign;

/*
 * Tests the findings of all phases that are not failures of pairs. Only confirmed pairs are tried. Call it before
 * rfs_judge_end(), which corrects the values of all tests.
 */
void rfs_causes_test(struct rfs_campaign *c);

#endif
