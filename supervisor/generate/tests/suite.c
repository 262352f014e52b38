/*
 * suite.c - grows lists of prefixes and suffixes, and picks the heaviest test that is ready, or one of them at
 * random.
 */
#include "supervisor/generate/tests/suite.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/tests/call_orders.h"
#include "supervisor/generate/tests/call_pairs.h"
#include "supervisor/generate/tests/section.h"
#include "supervisor/generate/tests/tasks.h"
#include "supervisor/generate/tests/trial.h"

/* The calls that a prefix has after its object is made, and the calls of a suffix (the paper's numbers). */
#define PREFIX_CALLS 5
#define SUFFIX_CALLS 2
/* How many calls tell the state of the object. */
#define STATES 4
/* How often making a prefix or a suffix is tried. */
#define ATTEMPTS 10
/* A prefix gets no more suffixes after this many calls that did not return, because each costs as much as many others.
 */
#define LATE_CALLS 3
/*
 * How many tests must be ready before one is taken: one before the first test, GROWTH more before each next one, and
 * READY in the end. So a bug that the first tests show needs few trials. Trials cost far less than tests. So far more
 * tests are made than executed, and the most different ones are taken.
 */
#define READY 1024
#define GROWTH 16

/* Prefixes, and suffixes of each. The rounds of the paper go from 1 x 10 to 25 x 500. */
static const size_t rounds[][2] = {{4, 4}, {8, 6}, {16, 8}, {32, 12}, {64, 50}, {64, 500}};
#define N_ROUNDS (sizeof(rounds) / sizeof(*rounds))

/* Tests with a prefix or a suffix that failed in a sequential order, or did not. */
struct trust {
	uint64_t failed, passed;
};

struct suffix {
	struct rfs_sequence sequence; /* of the prefix too */
	struct trust trust;
};

struct prefix {
	struct rfs_sequence sequence;
	int object; /* its variable */
	struct trust trust;
	struct suffix *suffixes;
	size_t n;
	uint64_t times; /* tests with it that were taken */
	uint64_t late;	/* calls after it that did not return */
	bool is_dead;	/* it gets no more suffixes: no method works after it, or too many do not return */
};

/* A test that can be made: numbers of a prefix and of two suffixes. */
struct ready {
	size_t prefix, first, second;
};

struct rfs_suite {
	struct rfs_generator *generator;
	const struct rfs_library_type *type;
	struct prefix *prefixes;
	struct ready *ready;
	size_t n_prefixes, n_ready, round;
	size_t wanted; /* tests that must be ready before the next one is taken */
	struct rfs_call_pairs *pairs;
	struct rfs_use states[STATES]; /* methods that tell the state of an object, and run */
	size_t n_states;
};

struct rfs_suite *rfs_suite_new(struct rfs_generator *generator, const struct rfs_library_type *type)
{
	struct rfs_suite *suite = xcalloc(1, sizeof(*suite));

	suite->generator = generator;
	suite->type = type;
	suite->wanted = 1;
	suite->pairs = rfs_call_pairs_new();
	generator->orders = rfs_call_orders_new();
	generator->ends = xcalloc(generator->library->n_functions + 1, sizeof(*generator->ends));
	return suite;
}

void rfs_suite_free(struct rfs_suite *suite)
{
	for (size_t i = 0; i < suite->n_prefixes; i++) {
		struct prefix *prefix = &suite->prefixes[i];

		for (size_t k = 0; k < prefix->n; k++)
			rfs_sequence_release(&prefix->suffixes[k].sequence);
		free(prefix->suffixes);
		rfs_sequence_release(&prefix->sequence);
	}
	rfs_call_pairs_free(suite->pairs);
	rfs_call_orders_free(suite->generator->orders);
	suite->generator->orders = NULL;
	free(suite->generator->ends);
	suite->generator->ends = NULL;
	free(suite->prefixes);
	free(suite->ready);
	free(suite);
}

/* ---- prefixes and suffixes ---- */

/* The function of the last call of a section, which has calls. */
static size_t last_function(const struct rfs_sequence *sequence, enum rfs_section section)
{
	return sequence->calls[section][sequence->n[section] - 1].function;
}

static bool make_prefix(struct rfs_suite *suite, struct prefix *out)
{
	*out = (struct prefix){0};
	out->object = rfs_task_instantiate(suite->generator, &out->sequence, RFS_PREFIX, suite->type->type);
	if (out->object < 0) {
		rfs_sequence_release(&out->sequence);
		return false;
	}
	rfs_section_add_locks(suite->generator, &out->sequence, suite->type);
	(void)rfs_section_add_calls(suite->generator, &out->sequence, RFS_PREFIX, suite->type, out->object,
				    PREFIX_CALLS);
	return true;
}

static bool try_state(struct rfs_suite *suite, struct rfs_sequence *test, const struct rfs_use *use, int object)
{
	return rfs_task_use(suite->generator, test, RFS_STATE, use->function, use->parameter, object);
}

/* Finds methods that tell the state of the object of a prefix. */
static void find_states(struct rfs_suite *suite, const struct prefix *prefix)
{
	struct rfs_sequence test;

	rfs_sequence_copy(&prefix->sequence, &test);
	for (size_t i = 0; i < suite->type->n_uses && suite->n_states < STATES; i++) {
		const struct rfs_use *use = &suite->type->uses[i];

		if (rfs_library_tells_state(suite->generator->library, use) &&
		    try_state(suite, &test, use, prefix->object))
			suite->states[suite->n_states++] = *use;
	}
	rfs_sequence_release(&test);
}

/* The object is the only parameter of these methods. */
static void add_states(const struct rfs_suite *suite, int object, struct rfs_sequence *out)
{
	for (size_t i = 0; i < suite->n_states; i++) {
		const size_t function = suite->states[i].function;
		struct rfs_sequence_call call = {.function = function, .variable = -1, .n_values = 1};

		call.values = xcalloc(1, sizeof(*call.values));
		call.values[0] = (struct rfs_value){
			.kind = RFS_VALUE_VARIABLE,
			.integer = object,
			.type = suite->generator->library->functions[function].type->parameters[0],
		};
		rfs_sequence_add_call(out, RFS_STATE, &call);
	}
}

static bool add_prefix(struct rfs_suite *suite)
{
	struct prefix prefix;

	if (!make_prefix(suite, &prefix))
		return false;
	if (suite->generator->states && !suite->n_states)
		find_states(suite, &prefix);
	suite->prefixes = xreallocarray(suite->prefixes, suite->n_prefixes + 1, sizeof(*suite->prefixes));
	suite->prefixes[suite->n_prefixes++] = prefix;
	return true;
}

static bool make_suffix(struct rfs_suite *suite, const struct prefix *prefix, struct rfs_sequence *out)
{
	bool made;

	rfs_sequence_copy(&prefix->sequence, out);
	made = rfs_section_add_calls(suite->generator, out, RFS_SUFFIX_1, suite->type, prefix->object, SUFFIX_CALLS);
	if (!made)
		rfs_sequence_release(out);
	return made;
}

static bool is_same_value(const struct rfs_value *a, const struct rfs_value *b)
{
	return a->kind == b->kind && a->integer == b->integer && a->real == b->real &&
	       (!a->string || !b->string ? a->string == b->string : strcmp(a->string, b->string) == 0);
}

static bool is_same_call(const struct rfs_sequence_call *a, const struct rfs_sequence_call *b)
{
	for (size_t i = 0; i < a->n_values && i < b->n_values; i++)
		if (!is_same_value(&a->values[i], &b->values[i]))
			return false;
	return a->function == b->function && a->variable == b->variable;
}

/* Whether the prefix has this suffix. */
static bool suite_has(const struct prefix *prefix, const struct rfs_sequence *suffix)
{
	const size_t n = suffix->n[RFS_SUFFIX_1];
	bool found = false;

	for (size_t i = 0; i < prefix->n && !found; i++) {
		const struct rfs_sequence *other = &prefix->suffixes[i].sequence;

		found = other->n[RFS_SUFFIX_1] == n;
		for (size_t k = 0; k < n && found; k++)
			found = is_same_call(&other->calls[RFS_SUFFIX_1][k], &suffix->calls[RFS_SUFFIX_1][k]);
	}
	return found;
}

/* A suffix that the prefix does not have, if one is made soon. */
static bool make_other_suffix(struct rfs_suite *suite, const struct prefix *prefix, struct rfs_sequence *out)
{
	bool made = make_suffix(suite, prefix, out);

	for (int i = 0; i < ATTEMPTS && made && suite_has(prefix, out); i++) {
		rfs_sequence_release(out);
		made = make_suffix(suite, prefix, out);
	}
	return made;
}

/* Makes a new suffix. Its tests with each suffix of the prefix, itself included, are ready then. */
static bool add_suffix(struct rfs_suite *suite, size_t index)
{
	struct prefix *prefix = &suite->prefixes[index];
	const uint64_t *late = &suite->generator->driver->counts.ends[RFS_TRIAL_LATE], late_before = *late;
	struct rfs_sequence suffix;
	const bool made = make_other_suffix(suite, prefix, &suffix);

	prefix->late += *late - late_before;
	if (suite->generator->broken && !made)
		return false;
	rfs_task_ended(suite->generator, last_function(&prefix->sequence, RFS_PREFIX), !made);
	prefix->is_dead = !made || prefix->late >= LATE_CALLS;
	if (!made)
		return false;
	prefix->suffixes = xreallocarray(prefix->suffixes, prefix->n + 1, sizeof(*prefix->suffixes));
	prefix->suffixes[prefix->n++] = (struct suffix){.sequence = suffix};
	suite->ready = xreallocarray(suite->ready, suite->n_ready + prefix->n, sizeof(*suite->ready));
	for (size_t i = 0; i < prefix->n; i++)
		suite->ready[suite->n_ready++] = (struct ready){index, i, prefix->n - 1};
	return true;
}

/* The prefix with the fewest suffixes, if the round allows it more; n_prefixes: a new prefix is due. */
static size_t unfinished(const struct rfs_suite *suite)
{
	size_t best = suite->n_prefixes;

	if (suite->n_prefixes < rounds[suite->round][0])
		return best;
	for (size_t i = 0; i < suite->n_prefixes; i++)
		if (suite->prefixes[i].n < rounds[suite->round][1] && !suite->prefixes[i].is_dead &&
		    (best == suite->n_prefixes || suite->prefixes[i].n < suite->prefixes[best].n))
			best = i;
	return best;
}

static enum rfs_suite_next suite_extend(struct rfs_suite *suite)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		size_t index = unfinished(suite);

		if (index == rounds[suite->round][0]) {
			if (suite->round + 1 == N_ROUNDS)
				return RFS_SUITE_NO_CALL;
			suite->round++;
			index = unfinished(suite);
		}
		if (index == suite->n_prefixes && !add_prefix(suite))
			return suite->generator->broken ? RFS_SUITE_BROKEN : RFS_SUITE_NO_OBJECT;
		if (add_suffix(suite, index))
			return RFS_SUITE_TEST;
		if (suite->generator->broken)
			return RFS_SUITE_BROKEN;
	}
	return RFS_SUITE_NO_CALL;
}

/* ---- which test comes next ---- */

static struct rfs_calls calls_of(const struct rfs_sequence *sequence, enum rfs_section section)
{
	return (struct rfs_calls){sequence->calls[section], sequence->n[section]};
}

/* 1, or less if tests with it failed in sequential orders, and none passed. */
static double trusted(const struct trust *trust)
{
	return trust->passed ? 1 : 1.0 / (double)(1 + trust->failed * trust->failed);
}

/*
 * A test weighs more if its pairs of calls were seldom executed together, and if its prefix was seldom used. It weighs
 * less if its prefix, a suffix or one of its calls was wrong so far: a recursive lock that was locked twice stays
 * locked.
 */
static double suite_weight(const struct rfs_suite *suite, const struct ready *ready)
{
	const struct prefix *prefix = &suite->prefixes[ready->prefix];
	const struct suffix *suffixes[] = {&prefix->suffixes[ready->first], &prefix->suffixes[ready->second]};
	double right = trusted(&prefix->trust);

	for (int i = 0; i < 2; i++) {
		const double trust = trusted(&suffixes[i]->trust),
			     orders = rfs_call_orders_weight(suite->generator->orders, &suffixes[i]->sequence,
							     prefix->object);

		right = trust < right ? trust : right;
		right = orders < right ? orders : right;
	}
	return right * (rfs_call_pairs_weight(suite->pairs, calls_of(&suffixes[0]->sequence, RFS_SUFFIX_1),
					      calls_of(&suffixes[1]->sequence, RFS_SUFFIX_1), prefix->object) +
			1.0 / (1.0 + (double)prefix->times));
}

/* The heaviest of the tests that are ready. Of those with equal weight, a random one. */
static size_t heaviest(struct rfs_suite *suite)
{
	size_t best = 0, n_same = 0;
	double most = -1;

	for (size_t i = 0; i < suite->n_ready; i++) {
		double w = suite_weight(suite, &suite->ready[i]);

		n_same = w > most ? 0 : n_same;
		if (w >= most && rfs_rng_below(&suite->generator->rng, ++n_same) == 0)
			best = i;
		most = w > most ? w : most;
	}
	return best;
}

static void suite_plan(struct rfs_suite *suite, struct rfs_suite_test *test)
{
	const struct rfs_calls first = calls_of(&test->sequence, RFS_SUFFIX_1),
			       second = calls_of(&test->sequence, RFS_SUFFIX_2);

	test->is_new = rfs_call_pairs_are_new(suite->pairs, first, second);
	rfs_call_pairs_planned(suite->pairs, first, second, test->object);
}

void rfs_suite_executed(struct rfs_suite *suite, const struct rfs_suite_test *test, bool telling)
{
	rfs_call_pairs_executed(suite->pairs, calls_of(&test->sequence, RFS_SUFFIX_1),
				calls_of(&test->sequence, RFS_SUFFIX_2), test->object, telling);
}

void rfs_suite_ordered(struct rfs_suite *suite, const struct rfs_suite_test *test, enum rfs_suite_order order)
{
	struct prefix *prefix = &suite->prefixes[test->made_of[0]];
	struct trust *const trusts[] = {&prefix->trust, &prefix->suffixes[test->made_of[1]].trust,
					&prefix->suffixes[test->made_of[2]].trust};

	for (size_t i = 0; i < sizeof(trusts) / sizeof(*trusts); i++) {
		trusts[i]->passed += order == RFS_SUITE_PASSED;
		trusts[i]->failed += order != RFS_SUITE_PASSED;
	}
	if (order != RFS_SUITE_FAILED)
		rfs_call_orders_note_test(suite->generator->orders, &test->sequence, test->object,
					  order == RFS_SUITE_PASSED);
}

size_t rfs_suite_pairs(const struct rfs_suite *suite)
{
	return rfs_call_pairs_count(suite->pairs);
}

enum rfs_suite_next rfs_suite_next(struct rfs_suite *suite, struct rfs_suite_test *out)
{
	enum rfs_suite_next next = RFS_SUITE_TEST;
	struct prefix *prefix;
	struct ready chosen;
	size_t best;

	while (next == RFS_SUITE_TEST && suite->n_ready < suite->wanted)
		next = suite_extend(suite);
	if (!suite->n_ready)
		return next;
	suite->wanted = suite->wanted + GROWTH < READY ? suite->wanted + GROWTH : READY;
	best = suite->generator->unweighted ? rfs_rng_below(&suite->generator->rng, suite->n_ready) : heaviest(suite);
	chosen = suite->ready[best];
	prefix = &suite->prefixes[chosen.prefix];
	*out = (struct rfs_suite_test){.object = prefix->object,
				       .made_of = {chosen.prefix, chosen.first, chosen.second}};
	rfs_sequence_join(&prefix->sequence, &prefix->suffixes[chosen.first].sequence,
			  &prefix->suffixes[chosen.second].sequence, &out->sequence);
	add_states(suite, prefix->object, &out->sequence);
	suite_plan(suite, out);
	prefix->times++;
	suite->ready[best] = suite->ready[--suite->n_ready];
	return RFS_SUITE_TEST;
}
