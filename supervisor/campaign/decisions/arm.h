/*
 * arm.h - the arms of a campaign: which one gets how many runs in the next round, and how a budget is divided.
 *
 * An arm is a pair that is to be confirmed, a predicted deadlock, or a sampler that explores. Pure: decisions depend on
 * counts, and under --budget on seconds. Without a budget each arm gets all its planned runs; rounds only change their
 * order.
 *
 * Round 1 takes a few runs of each arm, one run of each arm at a time. Each later round doubles the number. An arm that
 * brought something new in the last round gets twice as many, and one that has long only repeated itself gets half. An
 * arm whose runs are longer than those of others gets fewer, so that arms share time rather than runs. The length of a
 * run is the number of its stops: unlike seconds, it is the same in each execution of the campaign.
 * Rounds grow, because a fork server must be started for each turn of a pair, and long turns make up for that.
 */
#ifndef RFS_ARM_H
#define RFS_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many runs an arm gets in round 1. */
#define RFS_FIRST_TURN 3

struct rfs_arm {
	uint64_t planned; /* runs in all */
	uint64_t done;	  /* runs so far; run i of the arm has number done */
	uint64_t half;	  /* no turn crosses this number of runs, because something is decided there; 0: none */
	uint64_t turns;	  /* rounds in which the arm had its whole turn */
	uint64_t stops;	  /* of all its runs */
	uint64_t news;	  /* in the last round: races created first, failures, orders and pairs not seen before */
	unsigned from;	  /* the first round in which it has a turn */
	unsigned quiet;	  /* how many rounds in a row brought nothing new */
	bool late;	  /* it may be impossible; among arms with equally many turns, the others go first */
	unsigned member;  /* its number in its group; among these, a smaller number goes first */
	unsigned rank;	  /* among arms with equal turns and numbers, a smaller rank goes first */
};

/* How many runs the arm gets in the round (from 1). 0: it has all its runs. mean: stops of a run of any arm; 0:
 * unknown.
 */
uint64_t rfs_arm_turn(const struct rfs_arm *arm, unsigned round, uint64_t mean);
/* Call at the end of a round in which the arm got its turn: clears the news. */
void rfs_arm_end_turn(struct rfs_arm *arm);
/* Which of two arms goes first in a round: negative, 0 or positive, like strcmp(). */
int rfs_arm_compare(const struct rfs_arm *a, const struct rfs_arm *b);
bool rfs_arm_left(const struct rfs_arm *arm);

/* How much depends on the memory of a pair, as far as its accesses show; the most first. */
enum rfs_stake {
	RFS_STAKE_FREE,	   /* one of them frees it */
	RFS_STAKE_POINTER, /* it is as long as a pointer */
	RFS_STAKE_OTHER,
	RFS_STAKE_COUNT, /* both add to it, or the like, in one instruction: probably a count that is only printed */
	RFS_STAKES
};

/* What is known of the two statements of a pair before it was tried. */
struct rfs_arm_prospect {
	unsigned in_libraries; /* how many of the two statements are in libraries */
	bool reads;	 /* one of the accesses is known to be only a read: what it gets may decide what follows */
	bool overlapped; /* the predicted accesses had overlapping addresses, or the user named the pair */
	enum rfs_stake stake;
};
unsigned rfs_arm_rank(const struct rfs_arm_prospect *prospect);

/* The planned runs of sampler number i of n, if all samplers together make `runs`. */
uint64_t rfs_arm_share(uint64_t runs, size_t i, size_t n);
/* True if run i of a sampler has a detector: the first one and every sixteenth, so that pairs are found which the few
 * runs of phase predict did not show. slow: such runs are cut short by the budget, so the first one is spared. */
bool rfs_arm_predicts(uint64_t i, bool slow);

/*
 * Under a budget: every how many runs of a sampler stop at the predicted places. placed, bare: operations of a run that
 * stops there, and of one that does not. Both kinds of runs get about equally many operations.
 */
uint64_t rfs_arm_places_every(uint64_t placed, uint64_t bare);

/* ---- the parts of a budget; all in seconds ---- */

struct rfs_budget {
	double whole;	 /* 0: no budget */
	double spent;	 /* since the start of the campaign */
	double began;	 /* spent when predictions and exploring began to share */
	double explored; /* of these, by exploring */
	bool exploring;	 /* exploration has runs left */
	double replays;	 /* how long the replays of what was found so far will probably take */
};

/* How long the baseline runs, reading code, the measuring run and the predicting runs may take, each in all. */
double rfs_budget_baseline(double whole);
double rfs_budget_read(double whole);
double rfs_budget_measure(double whole);
double rfs_budget_predict(double whole);
/* The same for runs with a detector that may settle reports of another tool. Each settles many. */
double rfs_budget_survey(double whole);
/* The longest time of one run in a round. One slow run must not use up the time of many. slow: all runs are slow. */
double rfs_budget_run(double whole, bool slow);
/*
 * The longest time of a predicting run, if `left` seconds are left for it and the `others` after it. slow: all
 * runs of this program are slow, so one complete run shows more than several that end before it creates threads.
 */
double rfs_budget_predicting_run(double left, uint64_t others, bool slow);
/* When the tests of failures must end, and when the last replays must end. The rest explains what was found. */
double rfs_budget_tests(double whole);
double rfs_budget_replays(double whole);
/* When the campaign must end, so that the report can be written within the budget. */
double rfs_budget_end(double whole);
/* How much longer pairs, deadlocks and violations may take, so that a third of the budget is left for exploring, and a
 * part for replays. They have at least a quarter of what is left. */
double rfs_budget_pairs(const struct rfs_budget *budget);
/* How much longer the runs that try many pairs at once may take. only: the campaign has nothing else to do but pairs.
 */
double rfs_budget_joint(const struct rfs_budget *budget, bool only);
/* How much longer a sampler of --policy may take, if it and what follows are this many equal shares. */
double rfs_budget_sampler(const struct rfs_budget *budget, size_t shares);
/* How much longer exploring may take. */
double rfs_budget_explore(const struct rfs_budget *budget);

#endif
