/*
 * sweep_test.c - the policy sweep on the model machine. For two threads, its runs are exactly all schedules with at
 * most one or two preemptions. They are compared with counts by hand and with a search through all schedules. For more
 * threads, no schedule comes twice.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/choice/candidates.h"
#include "policy/choice/conflicts.h"
#include "policy/samplers/sweep_plan.h"
#include "tests/policy/generate.h"

#include "policy/registry.h"

TestSuite(sweep, .timeout = 120);

enum { X = 0, Y = 8, Z = 16 };
enum { L = 0, M = 1, C = 2 };

/* ---- sets of schedules ---- */

/* A schedule as text: for each step the letter of its thread, in upper case if the operation timed out, and the waiter.
 */
struct schedules {
	char **texts;
	size_t n, capacity;
	size_t failed; /* how many ended with an error or a deadlock */
};

static char *text_of(const struct model_result *result)
{
	char *text = calloc(2 * result->n_steps + 1, 1);

	cr_assert_not_null(text);
	for (uint64_t i = 0; i < result->n_steps; i++) {
		const struct model_step *step = &result->steps[i];

		text[2 * i] = (char)((step->outcome == RFS_OUTCOME_TIMED_OUT ? 'A' : 'a') + step->thread);
		text[2 * i + 1] = step->waiter < 0 ? ' ' : (char)('0' + step->waiter);
	}
	return text;
}

/* How often the set has the text. */
static size_t count(const struct schedules *set, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += strcmp(set->texts[i], text) == 0;
	return n;
}

static void add(struct schedules *set, const struct model_result *result)
{
	if (set->n == set->capacity) {
		set->capacity = set->capacity ? 2 * set->capacity : 64;
		set->texts = realloc(set->texts, set->capacity * sizeof(*set->texts));
		cr_assert_not_null(set->texts);
	}
	set->texts[set->n++] = text_of(result);
	set->failed += result->end != MODEL_DONE;
}

static void release(struct schedules *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->texts[i]);
	free(set->texts);
	*set = (struct schedules){0};
}

/* ---- all schedules with few preemptions, by search ---- */

#define MAX_STEPS 64

/* Like enumerate.c: choices[i] is the branch to take at step i; widths[i]: how many there are. */
struct search {
	unsigned char choices[MAX_STEPS], widths[MAX_STEPS];
	size_t n;
	int current;
	unsigned preemptions, bound;
};

static int search_init(void **out, const struct rfs_policy_args *args)
{
	struct search *search = *(struct search **)args->blob->data;

	search->n = 0;
	search->current = -1;
	search->preemptions = 0;
	*out = search;
	return 0;
}

/* The current thread comes first if it can continue. All others are preemptions then. If it has yielded, it is the
 * other way round: that it continues counts like a preemption. */
static int search_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct search *search = opaque;
	int branches[MODEL_THREADS], n = 0;
	bool continues = false, yielded = false, others = false;

	for (size_t i = 0; i < view->n_threads; i++)
		others |= view->threads[i].thread != search->current && (view->threads[i].flags & RFS_THREAD_ENABLED);
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].thread == search->current && (view->threads[i].flags & RFS_THREAD_ENABLED)) {
			yielded = others && (view->threads[i].flags & RFS_THREAD_YIELDED);
			continues = !yielded;
			if (!yielded || search->preemptions < search->bound)
				branches[n++] = search->current;
		}
	for (size_t i = 0; i < view->n_threads && (!continues || search->preemptions < search->bound); i++)
		if (view->threads[i].thread != search->current && (view->threads[i].flags & RFS_THREAD_ENABLED))
			branches[n++] = view->threads[i].thread;
	cr_assert_lt(search->n, MAX_STEPS);
	out->thread = branches[search->choices[search->n]];
	for (size_t i = 0; i < view->n_threads; i++) { /* at most one thread waits in these programs */
		const struct rfs_thread_view *t = &view->threads[i];

		if (view->threads[i].thread != out->thread)
			continue;
		for (size_t k = 0; k < view->n_threads; k++)
			if (rfs_candidate_waits(&view->threads[k], &t->next))
				out->waiter = view->threads[k].thread;
	}
	search->widths[search->n++] = (unsigned char)n;
	search->preemptions += yielded ? out->thread == search->current : continues && out->thread != search->current;
	search->current = out->thread;
	return 0;
}

static const struct rfs_policy_ops search_ops = {
	.abi = RFS_POLICY_ABI, .name = "search", .summary = "all", .init = search_init, .pick = search_pick};

static void search_all(const struct model_program *program, unsigned bound, struct schedules *out)
{
	struct search search = {.bound = bound}, *pointer = &search;
	const struct rfs_blob blob = {&pointer, sizeof(pointer)};
	const struct model_config config = {.policy = &search_ops, .blob = &blob, .all_accesses = true};

	for (;;) {
		struct model_result result;
		size_t at;

		model_run(program, &config, &result);
		cr_assert_neq(result.end, MODEL_BAD_CHOICE, "%s", result.complaint);
		add(out, &result);
		model_release(&result);
		for (at = search.n; at > 0 && search.choices[at - 1] + 1 == search.widths[at - 1]; at--)
			search.choices[at - 1] = 0;
		if (at == 0)
			return;
		search.choices[at - 1]++;
	}
}

/* ---- runs of the policy ---- */

/* Runs the policy until everything was tried or `most` runs were made. Returns whether everything was tried. */
static bool sweep_all(const struct model_program *program, const char *options, uint64_t seed, size_t most,
		      struct schedules *out)
{
	struct rfs_blob blob = {0};
	bool exhausted = false;

	for (size_t i = 0; i < most && !exhausted; i++) {
		struct rfs_blob saved = {0};
		struct model_result result;
		const struct model_config config = {
			.policy = rfs_policy_find("sweep"),
			.options = options,
			.blob = blob.data ? &blob : NULL,
			.saved = &saved,
			.seed = seed + i,
			.all_accesses = true,
			.hints = i % 2,
		};

		model_run(program, &config, &result);
		cr_assert(result.end == MODEL_DONE || result.end == MODEL_ERROR || result.end == MODEL_DEADLOCK,
			  "%d %s", result.end, result.complaint);
		exhausted = result.stat_exhausted;
		cr_expect_eq(result.stat_missed, 0, "run %zu", i);
		if (!exhausted)
			add(out, &result);
		model_release(&result);
		free(blob.data);
		blob = saved;
	}
	free(blob.data);
	return exhausted;
}

static const struct model_op writes_3[] = {
	{M_WRITE, .object = X, .value = 1}, {M_READ, .object = Y}, {M_WRITE, .object = X, .value = 2}};
static const struct model_op reads_2[] = {{M_READ, .object = X}, {M_WRITE, .object = Y, .value = 1}};
static const struct model_op private_2[] = {{M_WRITE, .object = Z, .value = 1}, {M_READ, .object = Z}};
static const struct model_op locks[] = {{M_LOCK, .object = L}, {M_INC, .object = X}, {M_UNLOCK, .object = L},
					{M_LOCK, .object = M}, {M_INC, .object = Y}, {M_UNLOCK, .object = M}};
static const struct model_op locks_in_turn[] = {{M_READ, .object = X}, {M_LOCK, .object = M},
						{M_INC, .object = Y},  {M_UNLOCK, .object = M},
						{M_LOCK, .object = L}, {M_UNLOCK, .object = L}};
static const struct model_op abba_1[] = {
	{M_LOCK, .object = L}, {M_LOCK, .object = M}, {M_UNLOCK, .object = M}, {M_UNLOCK, .object = L}};
static const struct model_op abba_2[] = {
	{M_LOCK, .object = M}, {M_LOCK, .object = L}, {M_UNLOCK, .object = L}, {M_UNLOCK, .object = M}};
static const struct model_op signals[] = {
	{M_LOCK, .object = L}, {M_WRITE, .object = X, .value = 1}, {M_SIGNAL, .object = C}, {M_UNLOCK, .object = L}};
static const struct model_op sleeps[] = {{M_LOCK, .object = L},
					 {M_READ, .object = X},
					 {M_IF, .value = 1, .target = 4},
					 {M_COND_WAIT, .object = C, .object2 = L},
					 {M_UNLOCK, .object = L}};
static const struct model_op posts[] = {{M_WRITE, .object = X, .value = 1},
					{M_SEM_POST, .object = L},
					{M_SEM_WAIT, .object = M},
					{M_READ, .object = X}};
static const struct model_op waits[] = {
	{M_SEM_WAIT, .object = L}, {M_READ, .object = X}, {M_SEM_POST, .object = M}, {M_INC, .object = X}};
static const struct model_op shared[] = {{M_RDLOCK, .object = L}, {M_READ, .object = X}, {M_RWUNLOCK, .object = L}};
static const struct model_op exclusive[] = {{M_WRLOCK, .object = L}, {M_INC, .object = X}, {M_RWUNLOCK, .object = L}};
static const struct model_op meets[] = {
	{M_INC, .object = X}, {M_BARRIER, .object = L, .value = 2}, {M_INC, .object = X}};
static const struct model_op tries[] = {{M_TRYLOCK, .object = L, .reg = 0},
					{M_UNLESS, .value = 1, .target = 4},
					{M_INC, .object = X},
					{M_UNLOCK, .object = L},
					{M_READ, .object = X}};

#define TWO(a, b)                                                                                                      \
	{                                                                                                              \
		MODEL_BODY(a), MODEL_BODY(b)                                                                           \
	}
static const struct model_body two[][2] = {
	TWO(writes_3, reads_2), TWO(writes_3, private_2), TWO(locks, locks),	TWO(locks, locks_in_turn),
	TWO(abba_1, abba_2),	TWO(sleeps, signals),	  TWO(signals, sleeps), TWO(posts, waits),
	TWO(shared, exclusive), TWO(meets, meets),	  TWO(tries, locks),	TWO(tries, tries),
};

static void expect_the_same(const struct schedules *all, const struct schedules *swept, const char *what, size_t i)
{
	cr_expect_eq(swept->n, all->n, "%s, program %zu: %zu runs of %zu schedules", what, i, swept->n, all->n);
	for (size_t k = 0; k < all->n; k++)
		cr_expect_eq(count(swept, all->texts[k]), 1, "%s, program %zu: %zu times %s", what, i,
			     count(swept, all->texts[k]), all->texts[k]);
	cr_expect_eq(swept->failed, all->failed, "%s, program %zu", what, i);
}

Test(sweep, two_threads_have_each_schedule_with_few_preemptions_once)
{
	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		for (unsigned bound = 1; bound <= 2; bound++)
			for (uint64_t seed = 0; seed < 2; seed++) {
				const struct model_program program = {two[i], 2, 2};
				const char *options = bound == 1 ? "bound=1" : NULL;
				struct schedules all = {0}, swept = {0};

				search_all(&program, bound, &all);
				cr_expect(sweep_all(&program, options, seed, 20000, &swept), "program %zu: %zu", i,
					  swept.n);
				expect_the_same(&all, &swept, bound == 1 ? "one" : "two", i);
				release(&all);
				release(&swept);
			}
}

/*
 * Threads of a and b operations, their ends included, that do not wait. Each goes first: 2. The first one is
 * preempted before each operation but its first: a - 1 + b - 1. Then the second one as well: 2 (a - 1) (b - 1).
 */
Test(sweep, counts_by_hand)
{
	const struct model_program program = {two[0], 2, 2}; /* four operations and three */
	struct schedules swept = {0};

	cr_expect(sweep_all(&program, "bound=1", 1, 1000, &swept));
	cr_expect_eq(swept.n, 2 + 3 + 2, "%zu", swept.n);
	release(&swept);
	cr_expect(sweep_all(&program, NULL, 1, 1000, &swept));
	cr_expect_eq(swept.n, 2 + 3 + 2 + 2 * 3 * 2, "%zu", swept.n);
	release(&swept);
}

/*
 * Three threads of three operations, ends included. First alternatives of base schedule 0: at the beginning the second
 * thread (the third one is base schedule 1), two before each later operation of the first thread, one when it has
 * ended, and one before each later operation of the second thread. Base schedule 1 has the same without the beginning.
 */
Test(sweep, counts_of_three_threads_by_hand)
{
	static const struct model_body bodies[] = {MODEL_BODY(reads_2), MODEL_BODY(reads_2), MODEL_BODY(reads_2)};
	const struct model_program program = {bodies, 3, 3};
	struct schedules swept = {0};

	cr_expect(sweep_all(&program, "bound=1", 0, 1000, &swept));
	cr_expect_eq(swept.n, 2 + (1 + 2 * 2 + 1 + 2) + (2 * 2 + 1 + 2), "%zu", swept.n);
	release(&swept);
}

static void expect_distinct(const struct schedules *swept, const char *what)
{
	for (size_t k = 0; k < swept->n; k++)
		cr_expect_eq(count(swept, swept->texts[k]), 1, "%s: %s", what, swept->texts[k]);
}

/* ---- shapes of more than two threads: no schedule comes twice, and what exists is found ---- */

static const struct model_op takes[] = {{M_LOCK, .object = L},
					{M_READ, .object = X},
					{M_UNLESS, .value = 0, .target = 5},
					{M_COND_WAIT, .object = C, .object2 = L},
					{M_GOTO, .target = 1},
					{M_WRITE, .object = X, .value = 0},
					{M_UNLOCK, .object = L}};
static const struct model_op takes_with_if[] = {{M_LOCK, .object = L},
						{M_READ, .object = X},
						{M_UNLESS, .value = 0, .target = 4},
						{M_COND_WAIT, .object = C, .object2 = L},
						{M_READ, .object = X},
						{M_UNLESS, .value = 0, .target = 7},
						{M_ERROR, .value = 1},
						{M_WRITE, .object = X, .value = 0},
						{M_UNLOCK, .object = L}};
static const struct model_op puts_one[] = {
	{M_LOCK, .object = L}, {M_WRITE, .object = X, .value = 1}, {M_BROADCAST, .object = C}, {M_UNLOCK, .object = L}};
static const struct model_op notes_waiter[] = {{M_LOCK, .object = L},
					       {M_COND_WAIT, .object = C, .object2 = L},
					       {M_READ, .object = Y, .reg = 0},
					       {M_WRITE, .object = Y, .value = 2},
					       {M_UNLOCK, .object = L}};
static const struct model_op notes_waiter_3[] = {
	{M_LOCK, .object = L},		 {M_COND_WAIT, .object = C, .object2 = L},
	{M_READ, .object = Y, .reg = 0}, {M_UNLESS, .value = 0, .target = 6},
	{M_UNLOCK, .object = L},	 {M_GOTO, .target = 7},
	{M_ERROR, .value = 1},		 {M_READ, .object = Z}};
static const struct model_op wakes_one[] = {{M_LOCK, .object = L}, {M_SIGNAL, .object = C}, {M_UNLOCK, .object = L},
					    {M_LOCK, .object = L}, {M_SIGNAL, .object = C}, {M_UNLOCK, .object = L}};
static const struct model_op fork_1[] = {
	{M_LOCK, .object = 0}, {M_LOCK, .object = 1}, {M_UNLOCK, .object = 1}, {M_UNLOCK, .object = 0}};
static const struct model_op fork_2[] = {
	{M_LOCK, .object = 1}, {M_LOCK, .object = 2}, {M_UNLOCK, .object = 2}, {M_UNLOCK, .object = 1}};
static const struct model_op fork_3[] = {
	{M_LOCK, .object = 2}, {M_LOCK, .object = 0}, {M_UNLOCK, .object = 0}, {M_UNLOCK, .object = 2}};
static const struct model_op token_1[] = {{M_WRITE, .object = X, .value = 1}};
static const struct model_op token_2[] = {{M_READ, .object = X},
					  {M_UNLESS, .value = 1, .target = 3},
					  {M_WRITE, .object = Y, .value = 1},
					  {M_READ, .object = Z}};
static const struct model_op token_3[] = {
	{M_READ, .object = Y}, {M_UNLESS, .value = 1, .target = 4}, {M_READ, .object = X}, {M_ERROR, .value = 1}};
static const struct model_op timed[] = {{M_TIMEDLOCK, .object = L, .reg = 0},
					{M_UNLESS, .value = 0, .target = 3},
					{M_ERROR, .value = 1},
					{M_UNLOCK, .object = L}};
static const struct model_op naps[] = {
	{.code = M_SLEEP}, {M_READ, .object = X}, {M_UNLESS, .value = 0, .target = 4}, {M_ERROR, .value = 1}};
static const struct model_op sets[] = {{M_READ, .object = Y}, {M_WRITE, .object = X, .value = 1}};
static const struct model_op starts_3[] = {{M_CREATE, .reg = 0, .value = 1},
					   {M_CREATE, .reg = 1, .value = 2},
					   {M_JOIN, .reg = 0},
					   {M_JOIN, .reg = 1},
					   {M_READ, .object = X}};

static const struct {
	const char *name;
	struct model_body bodies[4];
	size_t n, n_started;
	size_t fails_within; /* runs; 0: no schedule fails */
} shapes[] = {
	{"right condition", {MODEL_BODY(takes), MODEL_BODY(puts_one), MODEL_BODY(puts_one)}, 3, 3, 0},
	{"wait with if",
	 {MODEL_BODY(takes_with_if), MODEL_BODY(takes_with_if), MODEL_BODY(puts_one), MODEL_BODY(puts_one)},
	 4,
	 4,
	 20},
	{"another waiter", {MODEL_BODY(notes_waiter), MODEL_BODY(notes_waiter_3), MODEL_BODY(wakes_one)}, 3, 3, 20},
	{"three forks", {MODEL_BODY(fork_1), MODEL_BODY(fork_2), MODEL_BODY(fork_3)}, 3, 3, 60},
	{"token", {MODEL_BODY(token_1), MODEL_BODY(token_2), MODEL_BODY(token_3)}, 3, 3, 10},
	{"time-out", {MODEL_BODY(timed), MODEL_BODY(locks)}, 2, 2, 10},
	{"sleep", {MODEL_BODY(naps), MODEL_BODY(sets)}, 2, 2, 10},
	{"created", {MODEL_BODY(starts_3), MODEL_BODY(writes_3), MODEL_BODY(reads_2)}, 3, 1, 0},
};

Test(sweep, more_threads_never_have_a_schedule_twice)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		const struct model_program program = {shapes[i].bodies, shapes[i].n, shapes[i].n_started};
		struct schedules swept = {0}, few = {0};
		bool all = sweep_all(&program, NULL, 0, 3000, &swept);

		cr_log_info("%s: %zu schedules, %zu fail", shapes[i].name, swept.n, swept.failed);
		cr_expect(all || swept.n == 3000, "%s: %zu", shapes[i].name, swept.n);
		expect_distinct(&swept, shapes[i].name);
		sweep_all(&program, NULL, 0, shapes[i].fails_within, &few);
		cr_expect_eq(few.failed > 0, shapes[i].fails_within > 0, "%s", shapes[i].name);
		if (!shapes[i].fails_within)
			cr_expect_eq(swept.failed, 0, "%s", shapes[i].name);
		release(&swept);
		release(&few);
	}
}

/* ---- what comes first ---- */

/*
 * A check and an update among a thousand operations on memory that no other thread uses. The other thread updates
 * without a check. Only one of some thousand preemptions shows the bug, and it is among the first that are tried.
 */
Test(sweep, preempts_first_where_threads_conflict)
{
	static const struct model_op checks[] = {
		{M_SET, .reg = 1, .value = 0},	 {M_WRITE, .object = Z, .value = 1},
		{M_ADD, .reg = 1, .value = 1},	 {M_UNLESS, .reg = 1, .value = 1000, .target = 1},
		{M_READ, .object = X, .reg = 0}, {M_UNLESS, .reg = 0, .value = 0, .target = 10},
		{M_READ, .object = X, .reg = 0}, {M_UNLESS, .reg = 0, .value = 0, .target = 9},
		{M_GOTO, .target = 10},		 {M_ERROR, .value = 1},
		{M_SET, .reg = 1, .value = 0},	 {M_WRITE, .object = Z, .value = 1},
		{M_ADD, .reg = 1, .value = 1},	 {M_UNLESS, .reg = 1, .value = 1000, .target = 11}};
	static const struct model_op updates[] = {{M_SET, .reg = 1, .value = 0},
						  {M_WRITE, .object = Y, .value = 1},
						  {M_ADD, .reg = 1, .value = 1},
						  {M_UNLESS, .reg = 1, .value = 1000, .target = 1},
						  {M_WRITE, .object = X, .value = 1}};
	static const struct model_body bodies[] = TWO(checks, updates);
	const struct model_program program = {bodies, 2, 2};

	for (uint64_t seed = 0; seed < 2; seed++) {
		struct schedules swept = {0};

		cr_expect_not(sweep_all(&program, "patience=100000", seed, 3, &swept));
		cr_expect_eq(swept.failed, 1, "%zu", swept.failed);
		release(&swept);
	}
}

/*
 * A thread that is passed over stays last, also if it was not running: the second run has the oldest of three threads
 * after both others, and not between them.
 */
Test(sweep, a_thread_that_is_passed_over_comes_last)
{
	static const struct model_op adds[] = {{M_LOCK, .object = L}, {M_INC, .object = X}, {M_UNLOCK, .object = L}};
	static const struct model_op looks[] = {{M_LOCK, .object = L},
						{M_READ, .object = X, .reg = 0},
						{M_UNLESS, .value = 2, .target = 4},
						{M_ERROR, .value = 1},
						{M_UNLOCK, .object = L}};
	static const struct model_body bodies[] = {MODEL_BODY(looks), MODEL_BODY(adds), MODEL_BODY(adds)};
	const struct model_program program = {bodies, 3, 3};
	struct schedules swept = {0};

	cr_expect_not(sweep_all(&program, "base=1", 0, 2, &swept));
	cr_expect_eq(swept.failed, 1, "%zu", swept.failed);
	release(&swept);
}

/* Patience: a long turn ends, so a thread that only waits for another one ends as well. */
Test(sweep, generated_programs_end_and_hints_change_nothing)
{
	for (uint64_t p = 0; p < 200; p++) {
		struct generated program;
		struct rfs_blob blob = {0};

		generate_program(&program, p);
		for (uint64_t i = 0; i < 20; i++) {
			struct model_result results[2];
			struct rfs_blob saved[2] = {{0}};

			for (int hints = 0; hints < 2; hints++) {
				const struct model_config config = {.policy = rfs_policy_find("sweep"),
								    .options = p % 3 ? NULL : "patience=7",
								    .blob = blob.data ? &blob : NULL,
								    .saved = &saved[hints],
								    .seed = i,
								    .all_accesses = p % 2,
								    .hints = hints,
								    .max_steps = 50000};

				model_run(&program.program, &config, &results[hints]);
				cr_expect(results[hints].end == MODEL_DONE || results[hints].end == MODEL_DEADLOCK,
					  "program %lu, run %lu: %d %s", p, i, results[hints].end,
					  results[hints].complaint);
			}
			cr_expect_eq(results[0].n_steps, results[1].n_steps, "program %lu, run %lu", p, i);
			cr_expect_leq(results[1].n_picks, results[0].n_picks);
			cr_expect(saved[0].size == saved[1].size &&
					  memcmp(saved[0].data, saved[1].data, saved[0].size) == 0,
				  "program %lu, run %lu: hints change what is saved", p, i);
			model_release(&results[0]);
			model_release(&results[1]);
			free(saved[1].data);
			free(blob.data);
			blob = saved[0];
		}
		free(blob.data);
	}
}

/* ---- the blob ---- */

Test(sweep, refuses_a_blob_that_is_not_its_own)
{
	struct rfs_sweep_memory memory = {.n_bases = 1, .n_singles = 1};
	struct rfs_sweep_single single = {.class = RFS_SWEEP_REST, .after = {3}};
	struct rfs_blob good;
	struct rfs_policy_args args = {.blob = &good};
	void *state = NULL;

	memory.bases[0].known = 1;
	memory.singles = &single;
	rfs_sweep_memory_write(&memory, &good);
	cr_expect_eq(rfs_policy_find("sweep")->init(&state, &args), 0);
	rfs_policy_find("sweep")->fini(state);
	state = NULL;
	for (size_t size = 1; size < good.size; size++) {
		const struct rfs_blob cut = {good.data, size};

		args.blob = &cut;
		cr_expect_eq(rfs_policy_find("sweep")->init(&state, &args), -EINVAL, "%zu", size);
	}
	single.class = RFS_SWEEP_CLASSES;
	args.blob = &good;
	free(good.data);
	rfs_sweep_memory_write(&memory, &good);
	cr_expect_eq(rfs_policy_find("sweep")->init(&state, &args), -EINVAL);
	cr_expect_null(state);
	free(good.data);
}

/*
 * Two threads of 600 operations have 1,200 runs with one preemption, more than are remembered. So with two preemptions
 * the policy never says that it has tried everything.
 */
Test(sweep, says_nothing_of_what_it_cannot_remember)
{
	static struct model_op many[600];
	static const struct model_body bodies[] = TWO(many, many);
	const struct model_program program = {bodies, 2, 2};
	struct schedules swept = {0};

	for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++)
		many[i] = (struct model_op){M_READ, .object = X};
	cr_expect(sweep_all(&program, "bound=1", 0, 2000, &swept));
	cr_expect_eq(swept.n, 2 + 600 + 600, "%zu", swept.n);
	release(&swept);
	cr_expect_not(sweep_all(&program, NULL, 0, 3000, &swept));
	expect_distinct(&swept, "many");
	release(&swept);
}

/* If the program has new operations, the sweep begins again with base runs, and then knows them. */
Test(sweep, begins_again_when_the_program_has_changed)
{
	static const struct model_op more[] = {{M_WRITE, .object = X, .value = 1},
					       {M_READ, .object = Y, .site = 77},
					       {M_WRITE, .object = X, .value = 2, .site = 78}};
	static const struct model_body small[] = TWO(private_2, reads_2), large[] = TWO(more, reads_2);
	const struct model_program programs[] = {{small, 2, 2}, {large, 2, 2}};
	struct rfs_blob blob = {0};
	size_t runs = 0;
	bool exhausted = false;

	for (size_t i = 0; i < 200 && !exhausted; i++) {
		struct rfs_blob saved = {0};
		const struct model_config config = {.policy = rfs_policy_find("sweep"),
						    .options = "bound=1",
						    .blob = blob.data ? &blob : NULL,
						    .saved = &saved,
						    .all_accesses = true};
		struct model_result result;

		model_run(&programs[i >= 4], &config, &result);
		exhausted = result.stat_exhausted;
		runs += i >= 5 && !exhausted;
		model_release(&result);
		free(blob.data);
		blob = saved;
	}
	free(blob.data);
	cr_expect_eq(runs, 2 + 3 + 2, "%zu", runs);
}

/* ---- what conflicts ---- */

static struct rfs_op access_of(unsigned flags, rfs_addr address, uint64_t size)
{
	return (struct rfs_op){.kind = RFS_OP_ACCESS, .access = flags, .peer = -1, .object = address, .size = size};
}

Test(sweep, conflicts_are_what_two_threads_use_and_one_changes)
{
	const struct {
		struct rfs_op ops[2];
		bool one_thread, conflict;
	} rows[] = {
		{{access_of(RFS_ACCESS_READ, 64, 4), access_of(RFS_ACCESS_READ, 64, 4)}, false, false},
		{{access_of(RFS_ACCESS_READ, 64, 4), access_of(RFS_ACCESS_WRITE, 68, 4)}, false, true},
		{{access_of(RFS_ACCESS_WRITE, 64, 4), access_of(RFS_ACCESS_WRITE, 64, 4)}, true, false},
		{{access_of(RFS_ACCESS_WRITE, 64, 8), access_of(RFS_ACCESS_READ, 72, 8)}, false, false},
		{{access_of(RFS_ACCESS_WRITE, 0, 512), access_of(RFS_ACCESS_READ, 504, 8)}, false, true},
		{{{.kind = RFS_OP_LOCK, .peer = -1, .object = 64}, {.kind = RFS_OP_UNLOCK, .peer = -1, .object = 64}},
		 false,
		 true},
		{{{.kind = RFS_OP_RDLOCK, .peer = -1, .object = 64}, {.kind = RFS_OP_RDLOCK, .peer = -1, .object = 64}},
		 false,
		 false},
		{{{.kind = RFS_OP_SEM_POST, .peer = -1, .object = 64},
		  {.kind = RFS_OP_SEM_POST, .peer = -1, .object = 64}},
		 false,
		 false},
		{{{.kind = RFS_OP_SEM_POST, .peer = -1, .object = 64},
		  {.kind = RFS_OP_SEM_WAIT, .peer = -1, .object = 64}},
		 false,
		 true},
		{{{.kind = RFS_OP_START, .peer = -1}, {.kind = RFS_OP_EXIT, .peer = -1}}, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_conflicts conflicts = {0};
		struct rfs_key_set set = {0};

		rfs_conflicts_note(&conflicts, 1, &rows[i].ops[0]);
		rfs_conflicts_note(&conflicts, rows[i].one_thread ? 1 : 2, &rows[i].ops[1]);
		rfs_conflicts_collect(&conflicts, &set);
		cr_expect_eq(rfs_conflicts_in(&set, &rows[i].ops[1]), rows[i].conflict, "row %zu", i);
		rfs_conflicts_release(&conflicts);
	}
}
