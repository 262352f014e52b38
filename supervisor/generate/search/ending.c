/* ending.c - maps failures and ends of runs to endings, and compares two of them. */
#include "supervisor/generate/search/ending.h"

#include <signal.h>

#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/record/misuse.h"
#include "supervisor/record/run_result.h"

static const char *const names[RFS_N_ENDINGS] = {
	[RFS_ENDING_FINE] = "no failure", [RFS_ENDING_MEMORY] = "memory error", [RFS_ENDING_ABORT] = "abort",
	[RFS_ENDING_SIGNAL] = "signal",	  [RFS_ENDING_EXIT] = "exit",		[RFS_ENDING_DEADLOCK] = "deadlock",
	[RFS_ENDING_HANG] = "hang",	  [RFS_ENDING_RESULT] = "wrong result", [RFS_ENDING_UNKNOWN] = "inconclusive",
};

const char *rfs_ending_name(enum rfs_ending ending)
{
	return names[ending];
}

enum rfs_ending rfs_ending_of_failure(enum rfs_failure_kind kind, int number)
{
	switch (kind) {
	case RFS_FAILURE_SIGNAL:
		if (number == SIGSEGV || number == SIGBUS)
			return RFS_ENDING_MEMORY;
		return number == SIGABRT ? RFS_ENDING_ABORT : RFS_ENDING_SIGNAL;
	case RFS_FAILURE_EXIT:
		return RFS_ENDING_EXIT;
	case RFS_FAILURE_DEADLOCK:
		return RFS_ENDING_DEADLOCK;
	case RFS_FAILURE_HANG:
		return RFS_ENDING_HANG;
	case RFS_FAILURE_USE_AFTER_FREE:
		return RFS_ENDING_MEMORY;
	default:
		return RFS_ENDING_UNKNOWN;
	}
}

enum rfs_ending rfs_ending_of_run(const struct rfs_run_result *result)
{
	struct rfs_signature signature;

	if (rfs_run_failed(result, &signature))
		return rfs_ending_of_failure(signature.kind, signature.detail);
	return result->end == RFS_END_EXIT ? RFS_ENDING_FINE : RFS_ENDING_UNKNOWN;
}

size_t rfs_ending_undefined(const struct rfs_run_result *result)
{
	size_t n = 0;

	for (size_t i = 0; i < result->n_misuses; i++) {
		const enum rfs_misuse_kind kind = result->misuses[i].kind;

		n += kind == RFS_MISUSE_UNLOCK_FREE || kind == RFS_MISUSE_UNLOCK_OTHER ||
		     kind == RFS_MISUSE_WAIT_UNLOCKED || kind == RFS_MISUSE_WAIT_MUTEXES;
	}
	return n;
}

static bool is_memory_or_abort(enum rfs_ending ending)
{
	return ending == RFS_ENDING_MEMORY || ending == RFS_ENDING_ABORT;
}

bool rfs_ending_same(enum rfs_ending test, enum rfs_ending program)
{
	if (test == RFS_ENDING_RESULT)
		return program == RFS_ENDING_ABORT;
	return test == program || (is_memory_or_abort(test) && is_memory_or_abort(program));
}
