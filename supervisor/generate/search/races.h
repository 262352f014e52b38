/*
 * races.h - the races of generated tests. A detector predicts them in an execution of a test, and RaceFuzzer creates
 * them (Sen, PLDI 2008). What a created race leads to says which race a failure comes from.
 */
#ifndef RFS_GENERATED_RACES_H
#define RFS_GENERATED_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rfs_executor;
struct rfs_place;
struct rfs_races;
struct rfs_search_result;
struct rfs_waiters;

struct rfs_races *rfs_races_new(void);
void rfs_races_free(struct rfs_races *races);

/* Which races of a test are created. */
enum rfs_races_wanted {
	RFS_RACES_NEW, /* those that were created in few other tests */
	RFS_RACES_ALL,
};

/*
 * Executes the loaded test with a detector. Then creates the predicted races, until an execution fails. *out describes
 * this failure; its ending is FINE if there was none. *race: the number of the race that led to it; -1: none. False: no
 * more executions can be made.
 */
bool rfs_races_create(struct rfs_races *races, struct rfs_executor *executor, enum rfs_races_wanted wanted,
		      struct rfs_search_result *out, int *race);

/* Ends a batch of tests (session-priv.h): from now on, its races count for the limits of later tests. */
void rfs_races_end_batch(struct rfs_races *races);
/* Called in a lane (lanes.h): forgets which races the tests of the batch had before. */
void rfs_races_forget_batch(struct rfs_races *races);
/* Writes the races of the batch, for another process of this session. */
void rfs_races_send(const struct rfs_races *races, FILE *out);
/* Adds what the other process has written. False: it is not complete, and nothing was added. */
bool rfs_races_receive(struct rfs_races *races, FILE *in) __attribute__((warn_unused_result));

/* How many races were predicted and how many of them were created, in all tests. */
void rfs_races_counts(const struct rfs_races *races, size_t *n_predicted, size_t *n_created);

/* The two places of a race. Borrowed. */
const struct rfs_place *rfs_races_sites(const struct rfs_races *races, int race);

/* "a.c:14 and a.c:23". Caller frees. */
char *rfs_races_text(struct rfs_races *races, int race);

/* Where the threads of a deadlock wait: "a.c:14 and a.c:23". Caller frees; NULL: unknown. */
char *rfs_races_locks_text(struct rfs_races *races, const struct rfs_waiters *deadlock);

#endif
