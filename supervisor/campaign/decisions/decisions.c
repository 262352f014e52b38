/* decisions.c - each function is a rule with its numbers. None of them reads a file or a clock. */
#include "supervisor/campaign/decisions/decisions.h"

/* --until-failure: the size of a batch. After each batch, the mode checks if a run has failed. */
#define SAMPLE_TURN 8

uint64_t rfs_decide_sample_turn(uint64_t left, bool limits_settled, bool until_failure)
{
	uint64_t n = !limits_settled ? 1 : until_failure ? SAMPLE_TURN : left;

	return n < left ? n : left;
}

bool rfs_decide_let_pass(uint64_t confirmed, const uint64_t reached[2])
{
	return !confirmed && (reached[0] == 0 || reached[1] == 0);
}

bool rfs_decide_wait(uint64_t confirmed, const uint64_t reached[2], bool late)
{
	return !confirmed && (late || !reached[0] || !reached[1]);
}

/*
 * Measured on pigz, pbzip2, xz and zstd: two passes together save at least 40 ns for each access. Starting a program
 * again costs about 30 ms, and each step 10 to 15 us.
 */
#define ACCESSES_OF_START 1000000
#define ACCESSES_OF_STEP 300

void rfs_decide_mix(const size_t n[RFS_PREDICTION_KINDS], enum rfs_prediction_kind *out)
{
	static const size_t together[RFS_PREDICTION_KINDS] = {
		[RFS_PREDICTED_ORDER] = 2,
		[RFS_PREDICTED_PAIR] = 1,
		[RFS_PREDICTED_ATOMICITY] = 1,
		[RFS_PREDICTED_CYCLE] = 1,
	};
	size_t done[RFS_PREDICTION_KINDS] = {0}, all = 0, decided = 0;

	for (int kind = 0; kind < RFS_PREDICTION_KINDS; kind++)
		all += n[kind];
	while (decided < all)
		for (int kind = 0; kind < RFS_PREDICTION_KINDS; kind++)
			for (size_t k = 0; k < together[kind] && done[kind] < n[kind]; k++, done[kind]++)
				out[decided++] = (enum rfs_prediction_kind)kind;
}

bool rfs_decide_two_passes(size_t pairs, uint64_t runs, uint64_t accesses, uint64_t steps)
{
	return !pairs || accesses >= runs * ACCESSES_OF_START + steps * ACCESSES_OF_STEP;
}

enum rfs_verdict rfs_decide_verdict(const struct rfs_pair_facts *facts)
{
	if (!facts->confirmed)
		return RFS_VERDICT_UNCONFIRMED;
	/*
	 * A use of a freed block is one even if the program does not notice. If the order of two accesses decides
	 * whether the program fails, it does not matter whether they are atomics.
	 */
	if (facts->use_after_free || facts->attributed)
		return RFS_VERDICT_HARMFUL;
	/*
	 * System calls are atomic, and no instruction of a thread is half done when its handler runs. So their order is
	 * a fault only if somebody relies on it.
	 */
	if (facts->calls || facts->interrupts)
		return RFS_VERDICT_UNORDERED;
	return facts->unclear ? RFS_VERDICT_UNCLEAR : RFS_VERDICT_REAL;
}
