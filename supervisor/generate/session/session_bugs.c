/*
 * session_bugs.c - tests that failed. Each becomes a C program, which must fail in the same way.
 *
 * A program that did not fail in a few runs may fail in more, but later tests often fail for the same cause, and their
 * programs at once. So such a test is put aside. At the end of the session, it is tried again with more runs, if its
 * type has no finding with the same cause.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/program/bug.h"
#include "supervisor/generate/program/confirm_c.h"
#include "supervisor/generate/search/races.h"
#include "supervisor/generate/session/session-priv.h"

/* The names of files have at most this much of the name of a type. */
#define NAME_MAX_KEPT 100
/* After this many tests with the same cause were put aside, later ones are not tried. */
#define ASIDE_MAX 3
/* If the budget has ended the session, what was put aside may take this many seconds. */
#define AGAIN_SECONDS 10

/* ---- its name and its cause ---- */

/* The name of the finding's files. Several types may have the same name, or a very long one. Caller frees. */
static char *session_bugs_file_name(const struct rfs_session *s, const struct rfs_type_result *result)
{
	const size_t index = (size_t)(result - s->result->types);
	bool again = false;
	char *name;

	for (size_t i = 0; i < index; i++)
		again |= strncmp(s->result->types[i].type->name, result->type->name, NAME_MAX_KEPT) == 0;
	name = again ? xasprintf("%.*s-%zu-%" PRIu64, NAME_MAX_KEPT, result->type->name, index, result->n_tests)
		     : xasprintf("%.*s-%" PRIu64, NAME_MAX_KEPT, result->type->name, result->n_tests);
	for (char *at = name; *at; at++)
		if (strchr(" /:<>,*&()", *at))
			*at = '_';
	return name;
}

/* Which race or locks the failure comes from. *race: as of the failed test; then the one that was found. Caller frees;
 * NULL: unknown. */
static char *involved(struct rfs_session *s, const struct rfs_search_result *search, int *race)
{
	struct rfs_search_result again;
	bool waits = search->ending == RFS_ENDING_DEADLOCK;
	char *sites = waits ? rfs_races_locks_text(s->races, &search->deadlock) : NULL, *text = NULL;

	if (sites) {
		text = xasprintf("the locks at %s", sites);
		free(sites);
		return text;
	}
	/* a created race shows failures, but no wrong results */
	if (search->ending == RFS_ENDING_RESULT)
		return NULL;
	/* the test is still loaded, so its races can be created: one of them may lead to the same failure */
	if (*race < 0 && (!rfs_races_create(s->races, s->executor, RFS_RACES_ALL, &again, race) || *race < 0 ||
			  !rfs_ending_same(again.ending, search->ending))) {
		*race = -1;
		return NULL;
	}
	sites = rfs_races_text(s->races, *race);
	text = xasprintf("the race of %s", sites);
	free(sites);
	return text;
}

/* Whether both findings have the same cause. If it is unknown, the same failure is assumed to have the same cause. */
static bool has_same_cause(const struct rfs_generated_bug *a, const struct rfs_generated_bug *b)
{
	if (!a->involved || !b->involved)
		return a->involved == b->involved && rfs_ending_same(a->ending, b->ending);
	return strcmp(a->involved, b->involved) == 0;
}

/* The finding of the type with the same cause; NULL: none. */
static struct rfs_generated_bug *known_bug(const struct rfs_type_result *result, const struct rfs_generated_bug *bug)
{
	struct rfs_generated_bug *other = result->bug;

	while (other && !has_same_cause(other, bug))
		other = other->next;
	return other;
}

/* An earlier finding of another type with the same race or locks; NULL: none. */
static const struct rfs_type_result *session_bugs_same_cause(const struct rfs_session *s,
							     const struct rfs_type_result *type,
							     const struct rfs_generated_bug *bug)
{
	for (size_t i = 0; i < s->result->n_types && bug->involved; i++) {
		const struct rfs_type_result *result = &s->result->types[i];
		const struct rfs_generated_bug *other = result != type ? known_bug(result, bug) : NULL;

		if (other && !other->same_as)
			return result;
	}
	return NULL;
}

/* ---- findings ---- */

static void say_bug(const struct rfs_type_result *result, const struct rfs_generated_bug *bug)
{
	rfs_say("%s is thread-unsafe: %s after %" PRIu64 " test%s", result->type->name, rfs_ending_name(bug->ending),
		bug->n_tests, rfs_plural(bug->n_tests));
}

static bool has_enough(const struct rfs_session *s, const struct rfs_type_result *result)
{
	uint64_t n = 0;

	for (const struct rfs_generated_bug *bug = result->bug; bug; bug = bug->next)
		n++;
	return n >= s->settings->options->findings;
}

/* Adds the finding to those of the type, which may end with it. */
static void add_bug(struct rfs_session *s, struct rfs_type_state *state, struct rfs_generated_bug *bug)
{
	struct rfs_type_result *result = state->result;
	const struct rfs_type_result *same = session_bugs_same_cause(s, result, bug);
	struct rfs_generated_bug **end = &result->bug;

	bug->same_as = same ? same->type->name : NULL;
	while (*end)
		end = &(*end)->next;
	*end = bug;
	result->verdict = RFS_TYPE_UNSAFE;
	say_bug(result, bug);
	if (has_enough(s, result))
		state->finished = result->complete = true;
	rfs_session_count(s);
	s->settings->found(s->settings->arg, s->result);
}

static void free_bug(struct rfs_generated_bug *bug)
{
	rfs_generated_bug_release(bug);
	free(bug);
}

static void dismiss(const struct rfs_session *s, struct rfs_type_result *result, const struct rfs_generated_bug *bug)
{
	const bool interrupted = s->result->end == RFS_POOL_INTERRUPTED;

	rfs_note("%s: a test failed (%s), but %s", result->type->name, rfs_ending_name(bug->ending),
		 interrupted ? "the session was interrupted before its C program failed"
		 : bug->why  ? bug->why
			     : "not its C program");
	result->n_dismissed++;
}

/* Whether the bug is a finding now: its C program fails, or it does not compile. */
static bool is_confirmed(struct rfs_session *s, const struct rfs_put_aside *aside, enum rfs_confirm_effort effort)
{
	rfs_confirm_c(s->settings->confirm, effort, aside->name, aside->race, aside->bug);
	/* the signal may have ended the compiler too */
	if (aside->bug->confirmed ||
	    (!aside->bug->compiled && !(rfs_session_is_over(s) && s->result->end == RFS_POOL_INTERRUPTED)))
		return true;
	rfs_confirm_discard(s->settings->confirm, aside->name, aside->bug);
	return false;
}

static size_t n_alike(const struct rfs_type_state *state, const struct rfs_generated_bug *bug)
{
	size_t n = 0;

	for (size_t i = 0; i < state->n_aside; i++)
		n += has_same_cause(state->aside[i].bug, bug);
	return n;
}

static struct rfs_generated_bug *make_bug(const struct rfs_session *s, const struct rfs_type_result *result,
					  const struct rfs_planned_test *failed)
{
	const struct rfs_judged *judged = &failed->judged;
	const struct rfs_search_result *search = &judged->search;
	struct rfs_generated_bug *bug = xcalloc(1, sizeof(*bug));

	rfs_sequence_copy(&failed->test.sequence, &bug->test);
	bug->ending = search->ending;
	bug->detail = search->detail;
	bug->policy = search->policy;
	bug->points = rfs_executor_points(s->executor);
	bug->n_orders = judged->n_orders;
	bug->n_tests = result->n_tests;
	bug->n_executions = result->n_executions;
	if (bug->ending == RFS_ENDING_RESULT)
		rfs_wrong_result_make(&failed->test.sequence, s->settings->library, &judged->outcomes, &search->outcome,
				      &bug->results);
	return bug;
}

void rfs_session_note_bug(struct rfs_session *s, struct rfs_type_state *state, const struct rfs_planned_test *failed)
{
	struct rfs_type_result *result = state->result;
	struct rfs_put_aside aside = {.bug = make_bug(s, result, failed)};
	struct rfs_generated_bug *known;
	int race = failed->judged.race;

	aside.bug->involved = involved(s, &failed->judged.search, &race);
	known = known_bug(result, aside.bug);
	if (known || n_alike(state, aside.bug) >= ASIDE_MAX) {
		if (known)
			known->n_again++;
		else
			result->n_dismissed++;
		free_bug(aside.bug);
		return;
	}
	aside.race = race >= 0 ? rfs_races_sites(s->races, race) : NULL;
	aside.name = session_bugs_file_name(s, result);
	if (is_confirmed(s, &aside, RFS_CONFIRM_QUICK)) {
		free(aside.name);
		add_bug(s, state, aside.bug);
		return;
	}
	state->aside = xreallocarray(state->aside, state->n_aside + 1, sizeof(*state->aside));
	state->aside[state->n_aside++] = aside;
}

/* Whether there is time for another C program. */
static bool has_time(struct rfs_session *s, double end)
{
	return !rfs_session_is_over(s) || (s->result->end == RFS_POOL_BUDGET && rfs_clock() < end);
}

static void try_type_again(struct rfs_session *s, struct rfs_type_state *state, double end)
{
	for (size_t i = 0; i < state->n_aside; i++) {
		const struct rfs_put_aside *aside = &state->aside[i];
		struct rfs_generated_bug *known = known_bug(state->result, aside->bug);
		bool wanted = !known && !has_enough(s, state->result) && has_time(s, end);

		if (known)
			known->n_again++;
		if (wanted && is_confirmed(s, aside, RFS_CONFIRM_THOROUGH)) {
			add_bug(s, state, aside->bug);
		} else {
			if (!known)
				dismiss(s, state->result, aside->bug);
			free_bug(aside->bug);
		}
		free(aside->name);
	}
	free(state->aside);
}

void rfs_session_try_again(struct rfs_session *s)
{
	const double end = rfs_clock() + AGAIN_SECONDS;

	for (size_t i = 0; i < s->result->n_types; i++)
		try_type_again(s, &s->states[i], end);
}
