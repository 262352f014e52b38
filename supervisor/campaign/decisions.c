#include "supervisor/campaign/decisions.h"

/* --until-failure: the size of a batch. After each batch, the mode checks if a run has failed. */
#define SAMPLE_TURN 8
/* The number of attempts to attribute a failure to a race. It is enough if the run of one attempt passes. */
#define FLIPS 5

uint64_t rfs_decide_sample_turn(uint64_t left, bool limits_settled, bool until_failure)
{
	uint64_t n = !limits_settled ? 1 : until_failure ? SAMPLE_TURN : left;

	return n < left ? n : left;
}

bool rfs_decide_let_pass(uint64_t confirmed, const uint64_t reached[2])
{
	return !confirmed && (reached[0] == 0 || reached[1] == 0);
}

bool rfs_decide_flip(uint64_t races, unsigned i, struct rfs_flip *out)
{
	unsigned in_turn = races < FLIPS ? (unsigned)races : FLIPS;

	if (races == 0 || i >= FLIPS)
		return false;
	*out = (struct rfs_flip){.race = races - 1 - i % in_turn, .continuation = i / in_turn + 1};
	return true;
}

enum rfs_verdict rfs_decide_verdict(const struct rfs_pair_facts *facts)
{
	if (!facts->confirmed)
		return RFS_VERDICT_UNCONFIRMED;
	/*
	 * After a free, the second thread uses or frees a freed block, even if the program does not notice. If the
	 * order of two accesses decides whether the program fails, it does not matter whether they are atomics.
	 */
	if (facts->frees || facts->attributed)
		return RFS_VERDICT_HARMFUL;
	return facts->unclear ? RFS_VERDICT_UNCLEAR : RFS_VERDICT_REAL;
}
