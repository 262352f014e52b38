/*
 * races.c - predicted races, and executions that create them. In a long test, each race needs a separate fork server.
 * So a race that was created in some tests is not created again, unless a failure must be explained. All limits are
 * counts, so that the session is the same on each machine. Tests of one batch do not know of each other's races,
 * because they may be executed at the same time.
 */
#include "supervisor/generate/search/races.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/generate/search/executor.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/symbolize.h"

/* The executions that create a race of a test. Successive seeds have each order of the race at least once in three. */
#define RUNS 4
/* Stops of a sequential order, up to which stopping at all accesses costs less than an execution from the start of the
 * process, or than a separate fork server for each race. */
#define ACCESSES_PREDICTED 1000
#define ACCESSES_CREATED 200
/* How many races of a test are created, and in how many tests one race. */
#define RACES_MAX 4
#define TESTS_MAX 3

struct race {
	struct rfs_place sites[2]; /* in ascending order; owned */
	struct rfs_site_ref refs[2];
	struct rfs_statement_pair pair;
	unsigned n_tests; /* in which it was created, without those of the batch */
	unsigned n_batch; /* and those of the batch */
	bool in_batch;	  /* predicted in a test of the batch */
	bool is_created;
	bool of_test; /* predicted in the test that is loaded */
};

/* Each race stays at its address, because the fork server compares addresses of pairs. */
struct rfs_races {
	struct rfs_symbols *symbols;
	struct race **list;
	size_t n;
};

struct rfs_races *rfs_races_new(void)
{
	struct rfs_races *races = xcalloc(1, sizeof(*races));

	races->symbols = rfs_symbols_new();
	return races;
}

void rfs_races_free(struct rfs_races *races)
{
	for (size_t i = 0; i < races->n; i++) {
		free(races->list[i]->sites[0].module);
		free(races->list[i]->sites[1].module);
		free(races->list[i]);
	}
	free(races->list);
	rfs_symbols_free(races->symbols);
	free(races);
}

/* ---- prediction ---- */

static int races_compare(const struct rfs_place *a, const struct rfs_place *b)
{
	return rfs_site_compare(a->module, a->offset, b->module, b->offset);
}

static struct race *races_find(const struct rfs_races *races, const struct rfs_place *first,
			       const struct rfs_place *second)
{
	for (size_t i = 0; i < races->n; i++)
		if (races_compare(&races->list[i]->sites[0], first) == 0 &&
		    races_compare(&races->list[i]->sites[1], second) == 0)
			return races->list[i];
	return NULL;
}

static struct race *races_add(struct rfs_races *races, const struct rfs_place *first, const struct rfs_place *second)
{
	const struct rfs_place *const sites[2] = {first, second};
	struct race *race = xcalloc(1, sizeof(*race));

	for (int i = 0; i < 2; i++) {
		race->sites[i] = (struct rfs_place){xstrdup(sites[i]->module), sites[i]->offset};
		race->refs[i] = (struct rfs_site_ref){race->sites[i].module, race->sites[i].offset};
		race->pair.statement[i] = (struct rfs_statement){&race->refs[i], 1};
	}
	races->list = xreallocarray(races->list, races->n + 1, sizeof(*races->list));
	races->list[races->n++] = race;
	return race;
}

static void races_note(struct rfs_races *races, struct rfs_race *predicted)
{
	const struct rfs_place *first = &predicted->side[0].site, *second = &predicted->side[1].site, *swap;
	struct race *race;

	if (!first->module || !second->module)
		return;
	if (races_compare(first, second) > 0) {
		swap = first;
		first = second;
		second = swap;
	}
	race = races_find(races, first, second);
	if (!race && !rfs_pair_is_atomic(races->symbols, predicted))
		race = races_add(races, first, second);
	if (race)
		race->of_test = race->in_batch = true;
}

struct prediction {
	struct rfs_executor *executor;
	struct rfs_races *races;
};

static void make_prediction(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct prediction *prediction = arg;

	(void)i;
	rfs_executor_prepare(prediction->executor, "random", 0, out);
	out->spec.detector = rfs_detector_find("hybrid");
	rfs_executor_set_points(prediction->executor, ACCESSES_PREDICTED, RFS_POINTS_SYNC, out);
}

static bool prediction_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	const struct prediction *prediction = arg;

	(void)i;
	(void)execution;
	rfs_executor_made(prediction->executor);
	for (size_t k = 0; k < result->prediction.n; k++)
		races_note(prediction->races, &result->prediction.races[k]);
	return false;
}

static bool predict(struct rfs_races *races, struct rfs_executor *executor)
{
	struct prediction prediction = {executor, races};
	struct rfs_batch batch = {.n = 1, .make = make_prediction, .done = prediction_done, .arg = &prediction};

	for (size_t i = 0; i < races->n; i++)
		races->list[i]->of_test = false;
	return rfs_executor_run(executor, &batch, NULL);
}

/* ---- creation ---- */

struct creation {
	struct rfs_executor *executor;
	struct race *race;
	struct rfs_search_result *out;
	bool failed;
};

static void make_creating(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct creation *creation = arg;

	rfs_executor_prepare(creation->executor, "racefuzzer", i, out);
	rfs_executor_set_points(creation->executor, ACCESSES_CREATED, RFS_POINTS_SYNC, out);
	out->spec.plan.pair = &creation->race->pair;
}

static bool creating_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct creation *creation = arg;
	enum rfs_ending ending = rfs_ending_of_run(result);

	(void)i;
	rfs_executor_made(creation->executor);
	creation->race->is_created |= result->n_created > 0;
	creation->out->n++;
	if (!result->n_created || ending == RFS_ENDING_FINE || ending == RFS_ENDING_UNKNOWN)
		return false;
	creation->failed = true;
	creation->out->ending = ending;
	creation->out->detail = result->detail;
	creation->out->policy = execution->spec.policy->name;
	return false;
}

static bool races_create(struct creation *creation)
{
	struct rfs_batch batch = {.n = RUNS, .make = make_creating, .done = creating_done, .arg = creation};

	return rfs_executor_run(creation->executor, &batch, &creation->failed);
}

static int races_compare_races(const void *a, const void *b)
{
	const struct race *x = *(struct race *const *)a, *y = *(struct race *const *)b;
	const int first = races_compare(&x->sites[0], &y->sites[0]);

	return first ? first : races_compare(&x->sites[1], &y->sites[1]);
}

/* The races of the test that are wanted, at most `RACES_MAX`. Their order does not depend on other tests. */
static size_t races_choose(const struct rfs_races *races, enum rfs_races_wanted wanted, struct race ***out)
{
	struct race **list = xcalloc(races->n + 1, sizeof(struct race *));
	size_t n = 0;

	for (size_t i = 0; i < races->n; i++)
		if (races->list[i]->of_test && (wanted == RFS_RACES_ALL || races->list[i]->n_tests < TESTS_MAX))
			list[n++] = races->list[i];
	qsort(list, n, sizeof(struct race *), races_compare_races);
	*out = list;
	return n < RACES_MAX ? n : RACES_MAX;
}

static int races_number_of(const struct rfs_races *races, const struct race *race)
{
	int i = 0;

	while (races->list[i] != race)
		i++;
	return i;
}

bool rfs_races_create(struct rfs_races *races, struct rfs_executor *executor, enum rfs_races_wanted wanted,
		      struct rfs_search_result *out, int *race)
{
	struct race **chosen;
	bool may_continue = true;
	size_t n;

	*out = (struct rfs_search_result){0};
	*race = -1;
	if (!predict(races, executor))
		return false;
	n = races_choose(races, wanted, &chosen);
	for (size_t i = 0; i < n && may_continue && *race < 0; i++) {
		struct creation creation = {executor, chosen[i], out, false};

		chosen[i]->n_batch++;
		may_continue = races_create(&creation);
		if (may_continue && creation.failed)
			*race = races_number_of(races, chosen[i]);
	}
	free(chosen);
	return may_continue;
}

void rfs_races_forget_batch(struct rfs_races *races)
{
	for (size_t i = 0; i < races->n; i++) {
		races->list[i]->n_batch = 0;
		races->list[i]->in_batch = false;
	}
}

void rfs_races_end_batch(struct rfs_races *races)
{
	for (size_t i = 0; i < races->n; i++)
		races->list[i]->n_tests += races->list[i]->n_batch;
	rfs_races_forget_batch(races);
}

/* ---- from one process to another ---- */

/* What the other process gets of a race. The names of both modules follow. */
struct sent_race {
	uint64_t offsets[2];
	size_t lengths[2]; /* of the names */
	unsigned n_batch;
	bool is_created;
};

static void send_race(const struct race *race, FILE *out)
{
	struct sent_race sent = {.n_batch = race->n_batch, .is_created = race->is_created};

	for (int i = 0; i < 2; i++) {
		sent.offsets[i] = race->sites[i].offset;
		sent.lengths[i] = strlen(race->sites[i].module);
	}
	fwrite(&sent, sizeof(sent), 1, out);
	for (int i = 0; i < 2; i++)
		fwrite(race->sites[i].module, 1, sent.lengths[i], out);
}

void rfs_races_send(const struct rfs_races *races, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < races->n; i++)
		n += races->list[i]->in_batch;
	fwrite(&n, sizeof(n), 1, out);
	for (size_t i = 0; i < races->n; i++)
		if (races->list[i]->in_batch)
			send_race(races->list[i], out);
}

struct received_race {
	struct sent_race sent;
	struct rfs_place sites[2]; /* owned */
};

/* False: the file ends before the end of the race. */
static bool read_race(FILE *in, struct received_race *out)
{
	if (fread(&out->sent, sizeof(out->sent), 1, in) != 1)
		return false;
	for (int i = 0; i < 2; i++) {
		out->sites[i] = (struct rfs_place){xcalloc(out->sent.lengths[i] + 1, 1), out->sent.offsets[i]};
		if (fread(out->sites[i].module, 1, out->sent.lengths[i], in) != out->sent.lengths[i])
			return false;
	}
	return true;
}

static void receive_race(struct rfs_races *races, const struct received_race *received)
{
	struct race *race = races_find(races, &received->sites[0], &received->sites[1]);

	if (!race)
		race = races_add(races, &received->sites[0], &received->sites[1]);
	race->n_batch += received->sent.n_batch;
	race->is_created |= received->sent.is_created;
}

bool rfs_races_receive(struct rfs_races *races, FILE *in)
{
	struct received_race *list;
	bool complete;
	size_t n, n_read = 0;

	if (fread(&n, sizeof(n), 1, in) != 1)
		return false;
	list = xcalloc(n + 1, sizeof(*list));
	while (n_read < n && read_race(in, &list[n_read]))
		n_read++;
	complete = n_read == n;
	for (size_t i = 0; i < n; i++) {
		if (complete)
			receive_race(races, &list[i]);
		free(list[i].sites[0].module);
		free(list[i].sites[1].module);
	}
	free(list);
	return complete;
}

void rfs_races_counts(const struct rfs_races *races, size_t *n_predicted, size_t *n_created)
{
	*n_predicted = races->n;
	*n_created = 0;
	for (size_t i = 0; i < races->n; i++)
		*n_created += races->list[i]->is_created;
}

const struct rfs_place *rfs_races_sites(const struct rfs_races *races, int race)
{
	return races->list[race]->sites;
}

/* ---- text ---- */

char *rfs_races_text(struct rfs_races *races, int number)
{
	const struct race *race = races->list[number];
	char *first = rfs_symbols_text(races->symbols, &race->sites[0], false);
	char *second = rfs_symbols_text(races->symbols, &race->sites[1], false);
	char *text = xasprintf("%s and %s", first, second);

	free(first);
	free(second);
	return text;
}

/* The caller of the function in which a thread waits. Caller frees; NULL: unknown. */
static char *waits_at(struct rfs_races *races, const struct rfs_waiter *waiter)
{
	return waiter->n_stack > 1 ? rfs_symbols_text(races->symbols, &waiter->stack[1], true) : NULL;
}

static int races_compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *rfs_races_locks_text(struct rfs_races *races, const struct rfs_waiters *deadlock)
{
	char **places = xcalloc(deadlock->n + 1, sizeof(*places)), *text = NULL;
	size_t n = 0;

	for (size_t i = 0; i < deadlock->n; i++) {
		places[n] = waits_at(races, &deadlock->list[i]);
		n += places[n] != NULL;
	}
	qsort(places, n, sizeof(*places), races_compare_texts);
	for (size_t i = 0; i < n; i++) {
		char *more = xasprintf("%s%s%s", text ? text : "", text ? " and " : "", places[i]);

		free(text);
		free(places[i]);
		text = more;
	}
	free(places);
	return text;
}
