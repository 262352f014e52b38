/* minimise.c - removes chunks of choices, then twos, and asks the caller whether the failure stays. */
#include "supervisor/campaign/decisions/minimise.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "policy/samplers/schedule.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/alloc.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"

static const char *fault_function(const struct rfs_run_result *result, uint64_t *offset)
{
	/* the innermost function of the program; frames of the C library only show how the program dies */
	for (size_t i = 0; i < result->n_fault; i++)
		if (result->fault[i].module && result->n_modules &&
		    strcmp(result->fault[i].module, result->modules[0].path) == 0) {
			*offset = result->fault[i].offset;
			return result->fault[i].module;
		}
	*offset = 0;
	return "";
}

bool rfs_shows_the_same(const struct rfs_run_result *a, const struct rfs_run_result *b)
{
	struct rfs_signature x, y;
	uint64_t at_x, at_y;

	if (a->n_created &&
	    (!b->n_created || rfs_race_is_use_after_free(&a->created) != rfs_race_is_use_after_free(&b->created)))
		return false;
	if (!rfs_run_failed(a, &x))
		return rfs_run_conclusive(b) && b->n_created > 0;
	if (!rfs_run_failed(b, &y) || !rfs_signature_equal(&x, &y) || a->deadlock.n != b->deadlock.n)
		return false;
	return strcmp(fault_function(a, &at_x), fault_function(b, &at_y)) == 0 && at_x == at_y;
}

struct rfs_choices rfs_choices_of(const struct rfs_run_result *result)
{
	struct rfs_choices choices = {.n = result->schedule.size / sizeof(*choices.list)};

	choices.list = xcalloc(choices.n + 1, sizeof(*choices.list));
	if (choices.n)
		memcpy(choices.list, result->schedule.data, choices.n * sizeof(*choices.list));
	return choices;
}

struct rfs_choices rfs_choices_without(const struct rfs_choices *all, size_t from, size_t to)
{
	struct rfs_choices rest = {.list = xcalloc(all->n + 1, sizeof(*rest.list)), .n = all->n - (to - from)};

	memcpy(rest.list, all->list, from * sizeof(*rest.list));
	memcpy(rest.list + from, all->list + to, (all->n - to) * sizeof(*rest.list));
	return rest;
}

void rfs_choices_follow(const struct rfs_choices *choices, struct rfs_blob *blob, struct rfs_execution *out)
{
	*blob = (struct rfs_blob){choices->list, choices->n * sizeof(*choices->list)};
	out->policy_path = NULL;
	out->spec.forces_contention = rfs_word_locks_forced(&out->spec);
	out->spec.policy = rfs_policy_find(RFS_POLICY_SCHEDULE);
	out->spec.policy_options = NULL;
	out->spec.policy_blob = blob;
}

/* Replaces the choices by `rest` if the failure then still shows. Frees the list that is not kept. */
static bool minimise_replace(const struct rfs_minimise *minimise, struct rfs_choices *choices, struct rfs_choices rest)
{
	if (!minimise->shows(minimise->arg, &rest)) {
		free(rest.list);
		return false;
	}
	free(choices->list);
	*choices = rest;
	return true;
}

/* The chunks of choices that are removed become smaller and smaller. */
static void remove_chunks(const struct rfs_minimise *minimise, struct rfs_choices *choices, size_t chunk)
{
	while (chunk > 0 && !minimise->over(minimise->arg)) {
		bool smaller = false;

		/* early choices are tried first, because late ones are more often needed */
		for (size_t from = 0; from < choices->n && !minimise->over(minimise->arg);) {
			size_t to = from + chunk < choices->n ? from + chunk : choices->n;

			if (minimise_replace(minimise, choices, rfs_choices_without(choices, from, to)))
				smaller = true;
			else
				from = to;
		}
		/*
		 * repeated with single choices, because a choice may no longer be needed after another one was removed
		 */
		if (chunk > 1)
			chunk /= 2;
		else if (!smaller)
			break;
	}
}

/* A copy without choices i and k; i < k. */
static struct rfs_choices without_two(const struct rfs_choices *all, size_t i, size_t k)
{
	struct rfs_choices rest = rfs_choices_without(all, k, k + 1), both = rfs_choices_without(&rest, i, i + 1);

	free(rest.list);
	return both;
}

/*
 * Removes two choices at once. True if that was possible. If a thread is interrupted for a moment, one choice switches
 * away from it and another one back. Neither can be removed without the other. Such choices are often close together,
 * so these are tried first.
 */
static bool remove_two(const struct rfs_minimise *minimise, struct rfs_choices *choices)
{
	unsigned tries = 0;

	for (size_t apart = 1; apart < choices->n; apart++)
		for (size_t i = 0; i + apart < choices->n; i++) {
			if (minimise->over(minimise->arg) || tries++ == RFS_MINIMISE_TWO)
				return false;
			if (minimise_replace(minimise, choices, without_two(choices, i, i + apart)))
				return true;
		}
	return false;
}

void rfs_minimise(const struct rfs_minimise *minimise, struct rfs_choices *choices)
{
	remove_chunks(minimise, choices, choices->n);
	while (remove_two(minimise, choices))
		remove_chunks(minimise, choices, 1);
}
