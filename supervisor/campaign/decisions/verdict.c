/* verdict.c - reads results only: no run is made here. decisions.c turns counts into verdicts. */
#include "supervisor/campaign/decisions/verdict.h"

#include <signal.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/nature.h"

static bool ended_badly(const struct rfs_run_result *result, struct rfs_signature *out)
{
	switch (result->end) {
	case RFS_END_EXIT:
		*out = (struct rfs_signature){RFS_FAILURE_EXIT, result->detail};
		return result->detail != 0 && !rfs_faults_excuse_exit(result->faults, result->n_faults, -1);
	case RFS_END_SIGNAL:
		*out = (struct rfs_signature){RFS_FAILURE_SIGNAL, result->detail};
		/*
		 * When the load driver has ended, rfsup sends SIGTERM. A server without a handler for SIGTERM ends by
		 * this signal, which is not a failure.
		 */
		return !(result->told_to_end && result->detail == SIGTERM) &&
		       !(result->gave_up && result->detail == SIGABRT);
	case RFS_END_DEADLOCK:
		*out = (struct rfs_signature){RFS_FAILURE_DEADLOCK, 0};
		return true;
	case RFS_END_HANG:
		*out = (struct rfs_signature){RFS_FAILURE_HANG, 0};
		return true;
	case RFS_END_TIMEOUT:
	case RFS_END_CANCELLED:
	case RFS_END_RESTART:
	case RFS_END_DIVERGED:
	case RFS_END_STOPPED:
	case RFS_END_UNCONTROLLED:
		break;
	}
	return false;
}

bool rfs_run_failed(const struct rfs_run_result *result, struct rfs_signature *out)
{
	return ended_badly(result, out) && !result->refused;
}

bool rfs_run_failed_refused(const struct rfs_run_result *result)
{
	struct rfs_signature unused;

	return result->refused && ended_badly(result, &unused);
}

bool rfs_run_conclusive(const struct rfs_run_result *result)
{
	struct rfs_signature unused;

	return result->end == RFS_END_EXIT || result->end == RFS_END_SIGNAL || rfs_run_failed(result, &unused);
}

bool rfs_signature_equal(const struct rfs_signature *a, const struct rfs_signature *b)
{
	return a->kind == b->kind && a->detail == b->detail;
}

char *rfs_signature_detail(const struct rfs_signature *signature)
{
	const char *name;

	switch (signature->kind) {
	case RFS_FAILURE_SIGNAL:
		name = sigabbrev_np(signature->detail);
		return name ? xasprintf("SIG%s", name) : xasprintf("signal %d", signature->detail);
	case RFS_FAILURE_EXIT:
		return xasprintf("status %d", signature->detail);
	case RFS_FAILURE_DEADLOCK:
	case RFS_FAILURE_HANG:
	case RFS_FAILURE_USE_AFTER_FREE:
		break;
	}
	return NULL;
}

bool rfs_pair_is_atomic(struct rfs_symbols *symbols, const struct rfs_race *race)
{
	return rfs_symbols_nature(symbols, &race->side[0]) == RFS_NATURE_ATOMIC &&
	       rfs_symbols_nature(symbols, &race->side[1]) == RFS_NATURE_ATOMIC;
}

bool rfs_pair_is_unclear(struct rfs_symbols *symbols, const struct rfs_race *race)
{
	bool evidence = race->atomic_seen;

	for (int i = 0; i < 2; i++)
		switch (rfs_symbols_nature(symbols, &race->side[i])) {
		case RFS_NATURE_PLAIN:
			return false; /* this access is not a legal atomic, so the race is a data race */
		case RFS_NATURE_ATOMIC:
		case RFS_NATURE_AMBIGUOUS:
			evidence = true;
			break;
		case RFS_NATURE_MAYBE:
			break;
		}
	return evidence;
}

bool rfs_race_is_of_calls(const struct rfs_race *race)
{
	return race->side[0].object.kind == RFS_MEMORY_KERNEL;
}

bool rfs_race_is_use_after_free(const struct rfs_race *race)
{
	return ((race->side[0].access | race->side[1].access) & RFS_ACCESS_FREE) || rfs_race_is_stale(race);
}
