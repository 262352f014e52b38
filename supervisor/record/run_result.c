/* run_result.c - frees results, and compares how runs ended. */
#include "supervisor/record/run_result.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/symbols/place.h"

bool rfs_race_is_stale(const struct rfs_race *race)
{
	return race->side[0].stale || race->side[1].stale;
}

uint64_t rfs_prediction_checksum(const struct rfs_prediction *prediction)
{
	uint64_t sum = 0;

	/* sums do not depend on the order of the pairs and of the two sides */
	for (size_t i = 0; i < prediction->n; i++) {
		uint64_t sites = 0;

		for (int k = 0; k < 2; k++) {
			const struct rfs_place *site = &prediction->races[i].side[k].site;

			if (site->module)
				sites += XXH64(site->module, strlen(site->module), site->offset);
		}
		sum += XXH64(&sites, sizeof(sites), prediction->races[i].atomic_seen);
	}
	return sum;
}

void rfs_race_release(struct rfs_race *race)
{
	for (int i = 0; i < 2; i++)
		rfs_evidence_release(&race->side[i]);
	*race = (struct rfs_race){0};
}

static void release_prediction(struct rfs_prediction *prediction)
{
	for (size_t i = 0; i < prediction->n; i++)
		rfs_race_release(&prediction->races[i]);
	free(prediction->races);
}

static void release_divergence(struct rfs_divergence *divergence)
{
	free(divergence->cause);
	for (int i = 0; i < 2; i++)
		rfs_places_free(divergence->at[i].stack, divergence->at[i].n_stack);
}

static void run_result_release_modules(struct rfs_run_module *modules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(modules[i].path);
		free(modules[i].build_id);
	}
	free(modules);
}

static void run_result_release_strings(char **strings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(strings[i]);
	free(strings);
}

void rfs_run_stats_add(struct rfs_run_stats *stats, const char *key, uint64_t value)
{
	stats->list = xreallocarray(stats->list, stats->n + 1, sizeof(*stats->list));
	stats->list[stats->n++] = (struct rfs_run_stat){xstrdup(key), value};
}

uint64_t rfs_run_stats_value(const struct rfs_run_stats *stats, const char *key)
{
	for (size_t i = 0; i < stats->n; i++)
		if (strcmp(stats->list[i].key, key) == 0)
			return stats->list[i].value;
	return 0;
}

void rfs_run_stats_release(struct rfs_run_stats *stats)
{
	for (size_t i = 0; i < stats->n; i++)
		free(stats->list[i].key);
	free(stats->list);
}

void rfs_run_result_release(struct rfs_run_result *result)
{
	free(result->message);
	free(result->said.data);
	release_divergence(&result->divergence);
	release_prediction(&result->prediction);
	rfs_cycles_release(&result->cycles);
	rfs_violations_release(&result->violations);
	free(result->suspects.data);
	free(result->covered.data);
	for (int i = 0; i < 2; i++)
		rfs_evidence_release(&result->stood[i]);
	rfs_race_release(&result->created);
	rfs_places_free(result->created_at, result->n_created_at);
	rfs_waiters_release(&result->deadlock);
	rfs_waiters_release(&result->threads);
	rfs_places_free(result->fault, result->n_fault);
	free(result->last_words);
	rfs_bad_block_release(&result->bad_block);
	rfs_places_free(result->spin, result->n_spin);
	run_result_release_modules(result->modules, result->n_modules);
	run_result_release_strings(result->threaded, result->n_threaded);
	run_result_release_strings(result->warnings, result->n_warnings);
	rfs_misuses_free(result->misuses, result->n_misuses);
	rfs_faults_free(result->faults, result->n_faults);
	free(result->blob.data);
	free(result->schedule.data);
	rfs_run_stats_release(&result->policy_stats);
	free(result->nondet.files.data);
	free(result->nondet.names.data);
	*result = (struct rfs_run_result){0};
}

bool rfs_run_ended_as(const struct rfs_run_result *result, enum rfs_run_end end, int detail, const uint64_t hash[2])
{
	return result->end == end && result->detail == detail && result->hash[0] == hash[0] &&
	       result->hash[1] == hash[1];
}

/* The name of file i; NULL: the run did not write it. */
static const char *run_result_name_of(const struct rfs_run_nondet *nondet, size_t i)
{
	const char *text = nondet->names.data, *end = text ? text + nondet->names.size : NULL;

	while (text && text < end && i--)
		text += strlen(text) + 1;
	return text && text < end && *text ? text : NULL;
}

bool rfs_nondet_files_differ(const struct rfs_run_nondet *a, const struct rfs_run_nondet *b, const char **name)
{
	const uint64_t *x = a->files.data, *y = b->files.data;
	const size_t n_x = a->files.size / (2 * sizeof(*x)), n_y = b->files.size / (2 * sizeof(*y));
	bool differ = false;

	*name = NULL;
	for (size_t i = 0; i < n_x && !*name; i++)
		for (size_t k = 0; k < n_y && !*name; k++)
			if (x[2 * i] == y[2 * k] && x[2 * i + 1] != y[2 * k + 1]) {
				differ = true;
				*name = run_result_name_of(b, k) ? run_result_name_of(b, k) : run_result_name_of(a, i);
			}
	return differ;
}
