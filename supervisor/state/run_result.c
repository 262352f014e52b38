/* run_result.c - the end of a result's life. */
#include "supervisor/state/run_result.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"

static void release_race(struct rfs_race *race)
{
	for (int i = 0; i < 2; i++)
		rfs_evidence_release(&race->side[i]);
}

static void release_waiters(struct rfs_waiter *waiters, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		rfs_object_release(&waiters[i].waits_for);
		rfs_objects_free(waiters[i].holds, waiters[i].n_holds);
		rfs_places_free(waiters[i].stack, waiters[i].n_stack);
	}
	free(waiters);
}

void rfs_run_stat_add(struct rfs_run_stat **stats, size_t *n, const char *key, uint64_t value)
{
	*stats = xreallocarray(*stats, *n + 1, sizeof(**stats));
	(*stats)[(*n)++] = (struct rfs_run_stat){xstrdup(key), value};
}

void rfs_run_stats_release(struct rfs_run_stat *stats, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(stats[i].key);
	free(stats);
}

void rfs_run_result_release(struct rfs_run_result *result)
{
	free(result->message);
	free(result->cause);
	for (int i = 0; i < 2; i++)
		rfs_places_free(result->divergence[i].stack, result->divergence[i].n_stack);
	for (size_t i = 0; i < result->n_predicted; i++)
		release_race(&result->predicted[i]);
	free(result->predicted);
	release_race(&result->created);
	for (int i = 0; i < 2; i++)
		rfs_evidence_release(&result->stood[i]);
	release_waiters(result->deadlock, result->n_deadlock);
	release_waiters(result->threads, result->n_threads);
	rfs_places_free(result->fault, result->n_fault);
	rfs_places_free(result->spin, result->n_spin);
	for (size_t i = 0; i < result->n_modules; i++) {
		free(result->modules[i].path);
		free(result->modules[i].build_id);
	}
	free(result->modules);
	free(result->files.data);
	for (size_t i = 0; i < result->n_threaded; i++)
		free(result->threaded[i]);
	free(result->threaded);
	for (size_t i = 0; i < result->n_warnings; i++)
		free(result->warnings[i]);
	free(result->warnings);
	free(result->blob.data);
	rfs_run_stats_release(result->policy_stats, result->n_policy_stats);
	free(result->schedule.data);
	*result = (struct rfs_run_result){0};
}

bool rfs_run_ended_as(const struct rfs_run_result *result, enum rfs_run_end end, int detail, const uint64_t hash[2])
{
	return result->end == end && result->detail == detail && result->hash[0] == hash[0] &&
	       result->hash[1] == hash[1];
}
