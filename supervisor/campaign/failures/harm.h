/*
 * harm.h - whether a failure depends on the order in which a race was resolved.
 *
 * A run that created a race failed. The failure may have another cause, and it may come and go by itself. So the run is
 * made again up to a race, a fixed number of times in each of the two orders of this race. What follows is drawn anew
 * each time, and no other race is created. The order matters if the two rates of failure differ by more than chance:
 * Fisher's exact test, p below 0.01 after Holm's correction over all failures that were tested (significance.h). The
 * test has two sides, because the failed run may have had the order in which the program fails less often.
 *
 * A run may create thousands of races, and it is not known which one matters. The race that is tested is the first one
 * after which the program fails in most runs. A search in halves finds it, because the more races of the failed run are
 * made again, the more likely its failure is. The runs of the search are not those of the test. If the order of this
 * race does not matter, the last race is tested as well. Each further test multiplies p (Bonferroni).
 *
 * Example: two threads execute x++ in a loop, and the program fails if any update is lost. Whatever the order of one
 * race, others lose updates. But if only the first race is created, its order alone decides.
 */
#ifndef RFS_HARM_H
#define RFS_HARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/campaign/decisions/verdict.h"

struct rfs_campaign;
struct rfs_execution;
struct rfs_run_result;

/* Harm is shown if p is below this. */
#define RFS_HARM_LIMIT 0.01

/* The runs of a test in each order: the most that a test makes. */
#define RFS_HARM_RUNS 20

/* Counts of one failure. [0]: runs in the order of the failed run; [1]: in the other order. */
struct rfs_harm {
	unsigned tests; /* how many races were tested; 0: none */
	uint64_t race;	/* the one with the smallest p, from 0 */
	uint64_t runs[2], failed[2];
	double p;	  /* of Fisher's test, multiplied by `tests` */
	double corrected; /* p after Holm's correction; set by rfs_harms_correct() */
};

/* One run to make: up to the race, which is resolved in one of the two orders. */
struct rfs_harm_run {
	uint64_t race;	       /* from 0 */
	bool other;	       /* not the order of the failed run */
	unsigned continuation; /* selects the random draws after the race, from 1 */
};

/* The failure in question. */
struct rfs_harm_case {
	uint64_t races;	  /* of the failed run */
	const char *name; /* of the failed run */
	/* How it failed. Another failure counts too, unless every baseline run shows it: that says nothing. */
	struct rfs_signature signature;
	bool slow; /* a run that fails takes long: fewer runs are made */
	/* Fills the execution of a run. Returns the policy's options in it, which the caller frees after the run. */
	char *(*make)(void *arg, const struct rfs_harm_run *run, struct rfs_execution *out);
	/* True if the run came to the race, so that its end counts. */
	bool (*counts)(void *arg, const struct rfs_harm_run *run, const struct rfs_run_result *result);
	/*
	 * Whether the run failed as the failed run did, its place included: a program may have two bugs that end it by
	 * the same signal, and the other one may show in both orders. NULL: all failures count. If fewer than all
	 * failures separate the orders better, they are the test; p is doubled, because there are two tests.
	 */
	bool (*same)(void *arg, const struct rfs_run_result *result);
	void *arg;
};

/* Makes the runs for one failure. Nothing is tested if the campaign has ended. */
void rfs_harm_test(struct rfs_campaign *c, const struct rfs_harm_case *failure, struct rfs_harm *out);
/* Corrects the values of all n failures that were tested. Those without tests are left out. */
void rfs_harms_correct(struct rfs_harm **harms, size_t n);
/* True if the order of the race matters. Only after rfs_harms_correct(). */
bool rfs_harm_shown(const struct rfs_harm *harm);

#endif
