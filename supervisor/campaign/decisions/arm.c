/* arm.c - sorts arms, computes the runs of a turn, and divides the time of a budget. No run is made here. */
#include "supervisor/campaign/decisions/arm.h"

/* The turn of round 2; each later round doubles it. */
#define SECOND_TURN 8
/* After this many rounds without anything new, an arm gets half. */
#define QUIET_ROUNDS 2
/* However long the runs of an arm are, its turn is divided by this number at most. */
#define LONGEST 8
/* No turn is longer than this many doublings: the planned runs of an arm are at most a million. */
#define DOUBLINGS 20
/* One run of a sampler in this many has a detector. */
#define PREDICTS_EVERY 16

/* Runs with fewer operations are so short that many of them fit into any budget. */
#define MANY_OPERATIONS 10000

/* Parts of a budget. What they leave is for the pairs, and for what the others did not need. */
#define BASELINE_PART 0.1
#define READ_PART 0.15
#define MEASURE_PART 0.05
#define PREDICT_PART 0.2
#define SURVEY_PART 0.4
/* of what is left */
#define JOINT_PART_ONLY 0.5
#define JOINT_PART 0.25
#define RUN_PART 0.1
#define SLOW_RUN_PART 0.2
#define EXPLORE_PART (1.0 / 3)
/* of what was left when they began, at least */
#define PAIRS_PART 0.25
#define REPLAY_PART_MIN 0.08
#define REPLAY_PART_MAX 0.25
/* Seconds. A predicting run that is cut earlier shows nothing, because starting the program takes time. */
#define PREDICTING_MIN 0.5
/* After the last run, the report needs time for names and source lines. */
#define WRITE_PART 0.02
/* Before that, runs that failed are simplified; and before that, the last replays are made. */
#define STORY_PART 0.03
#define LAST_REPLAY_PART 0.01

bool rfs_arm_left(const struct rfs_arm *arm)
{
	return arm->done < arm->planned;
}

/* The turn of an arm whose runs are longer than the mean. Short runs get no more for that: a fork server that waits
 * costs too, and what they bring is rewarded already. */
static uint64_t shortened(const struct rfs_arm *arm, uint64_t turn, uint64_t mean)
{
	const uint64_t own = arm->done ? arm->stops / arm->done : 0;
	uint64_t times;

	if (!mean || own <= mean)
		return turn;
	times = own / mean < LONGEST ? own / mean : LONGEST;
	return turn / times ? turn / times : 1;
}

uint64_t rfs_arm_turn(const struct rfs_arm *arm, unsigned round, uint64_t mean)
{
	unsigned doublings = round - 2 < DOUBLINGS ? round - 2 : DOUBLINGS;
	/* the first turn is short in any round, so that all arms have one early */
	uint64_t turn = round < 2 || !arm->done ? RFS_FIRST_TURN : (uint64_t)SECOND_TURN << doublings;
	uint64_t end = arm->half && arm->done < arm->half && arm->half < arm->planned ? arm->half : arm->planned;

	if (round < arm->from)
		return 0;
	if (round >= 2 && arm->news)
		turn *= 2;
	else if (round >= 2 && arm->quiet >= QUIET_ROUNDS)
		turn /= 2;
	if (round >= 2)
		turn = shortened(arm, turn, mean);
	return turn < end - arm->done ? turn : end - arm->done;
}

void rfs_arm_end_turn(struct rfs_arm *arm)
{
	arm->turns++;
	arm->quiet = arm->news ? 0 : arm->quiet + 1;
	arm->news = 0;
}

int rfs_arm_compare(const struct rfs_arm *a, const struct rfs_arm *b)
{
	if (a->turns != b->turns)
		return a->turns < b->turns ? -1 : 1;
	if (a->late != b->late)
		return a->late ? 1 : -1;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

unsigned rfs_arm_rank(const struct rfs_arm_prospect *prospect)
{
	const unsigned rank = 4 * prospect->in_libraries + 2 * !prospect->overlapped + !prospect->reads;

	return RFS_STAKES * rank + prospect->stake;
}

uint64_t rfs_arm_share(uint64_t runs, size_t i, size_t n)
{
	return runs / n + (i < runs % n);
}

bool rfs_arm_predicts(uint64_t i, bool slow)
{
	return i % PREDICTS_EVERY == 0 && (i > 0 || !slow);
}

uint64_t rfs_arm_places_every(uint64_t placed, uint64_t bare)
{
	if (placed < MANY_OPERATIONS || placed < 2 * bare || !bare)
		return 1;
	return placed / bare;
}

double rfs_budget_baseline(double whole)
{
	return BASELINE_PART * whole;
}

double rfs_budget_read(double whole)
{
	return READ_PART * whole;
}

double rfs_budget_measure(double whole)
{
	return MEASURE_PART * whole;
}

double rfs_budget_predict(double whole)
{
	return PREDICT_PART * whole;
}

double rfs_budget_survey(double whole)
{
	return SURVEY_PART * whole;
}

double rfs_budget_run(double whole, bool slow)
{
	return (slow ? SLOW_RUN_PART : RUN_PART) * whole;
}

double rfs_budget_predicting_run(double left, uint64_t others, bool slow)
{
	double limit = slow ? left - PREDICTING_MIN * (double)others : left / (double)(others + 1);

	return limit > PREDICTING_MIN ? limit : PREDICTING_MIN;
}

double rfs_budget_tests(double whole)
{
	return (1 - WRITE_PART - STORY_PART - LAST_REPLAY_PART) * whole;
}

double rfs_budget_replays(double whole)
{
	return (1 - WRITE_PART - STORY_PART) * whole;
}

double rfs_budget_end(double whole)
{
	return (1 - WRITE_PART) * whole;
}

/* How much time is left until the replays must begin, if so much is spent. */
static double before_replays_at(const struct rfs_budget *budget, double spent)
{
	double min = REPLAY_PART_MIN * budget->whole, max = REPLAY_PART_MAX * budget->whole;
	double replays = budget->replays < min ? min : budget->replays > max ? max : budget->replays;

	return rfs_budget_end(budget->whole) - replays - spent;
}

static double before_replays(const struct rfs_budget *budget)
{
	return before_replays_at(budget, budget->spent);
}

double rfs_budget_pairs(const struct rfs_budget *budget)
{
	/* the phases before may have used so much that nothing else would be left */
	const double shared = (1 - PAIRS_PART) * before_replays_at(budget, budget->began),
		     part = EXPLORE_PART * budget->whole, reserved = (part < shared ? part : shared) - budget->explored;

	return before_replays(budget) - (budget->exploring && reserved > 0 ? reserved : 0);
}

double rfs_budget_joint(const struct rfs_budget *budget, bool only)
{
	return (only ? JOINT_PART_ONLY : JOINT_PART) * before_replays(budget);
}

double rfs_budget_sampler(const struct rfs_budget *budget, size_t shares)
{
	return before_replays(budget) / (double)(shares ? shares : 1);
}

double rfs_budget_explore(const struct rfs_budget *budget)
{
	return before_replays(budget);
}
