/*
 * rff_test.c - the policy rff on the model machine: it counts reads-from pairs right, fulfils constraints, and finds
 * needles that random misses in thousands of runs. Seeds are fixed.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/samplers/reads_from.h"
#include "policy/samplers/rff_corpus.h"
#include "tests/policy/generate.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(rff, .timeout = 120);

enum { X = 0, Y = 8, Z = 16 };
enum { L = 0, M = 1, S = 2 };

/* One run of a chain: starts from *blob, and leaves there what it saved. Caller releases *out. */
static void run_next(const struct model_program *program, const char *name, uint64_t seed, struct rfs_blob *blob,
		     struct model_result *out)
{
	struct rfs_blob saved = {0};
	const struct rfs_policy_ops *policy = rfs_policy_find(name);
	const struct model_config config = {.policy = policy,
					    .seed = seed,
					    .all_accesses = true,
					    .max_steps = 100000,
					    .blob = blob->data ? blob : NULL,
					    .saved = policy->save ? &saved : NULL};

	model_run(program, &config, out);
	free(blob->data);
	*blob = saved;
}

/* The corpus after so many runs, each of which begins with what the one before saved. */
static struct rfs_rff_corpus corpus_after(const struct model_program *program, uint64_t seed, int runs)
{
	struct rfs_rff_corpus corpus;
	struct rfs_blob blob = {0};

	for (int i = 0; i < runs; i++) {
		struct model_result result;

		run_next(program, "rff", seed + (uint64_t)i, &blob, &result);
		cr_assert_neq(result.end, MODEL_BAD_CHOICE, "%s", result.complaint);
		model_release(&result);
	}
	cr_assert_eq(rfs_rff_corpus_read(&corpus, &blob), 0);
	free(blob.data);
	return corpus;
}

/* How many runs had the pair; -1: it is not in the corpus. 0, 0 as the writer: what nobody has written. */
static int runs_of(const struct rfs_rff_corpus *corpus, const struct rfs_op *writer, const struct rfs_op *reader)
{
	const uint64_t w = writer ? rfs_reads_from_event(writer) : RFS_INITIALLY, r = rfs_reads_from_event(reader);

	for (size_t i = 0; i < corpus->n_pairs; i++)
		if (corpus->pairs[i].writer == w && corpus->pairs[i].reader == r)
			return (int)corpus->pairs[i].runs;
	return -1;
}

static struct rfs_op access_at(size_t body, size_t index, unsigned access)
{
	return (struct rfs_op){.kind = RFS_OP_ACCESS, .access = access, .site = MODEL_SITE(body, index)};
}

static struct rfs_op call_at(size_t body, size_t index, enum rfs_op_kind kind)
{
	return (struct rfs_op){.kind = kind, .site = MODEL_SITE(body, index)};
}

/* ---- coverage ---- */

static const struct model_op writes_x[] = {{M_WRITE, .object = X, .value = 1}, {M_WRITE, .object = Y, .value = 1}};
static const struct model_op reads_x[] = {{M_READ, .object = X}};

Test(rff, each_run_has_exactly_one_of_the_two_pairs_of_a_read)
{
	static const struct model_body bodies[] = {MODEL_BODY(writes_x), MODEL_BODY(reads_x)};
	const struct model_program program = {bodies, 2, 2};
	struct rfs_rff_corpus corpus = corpus_after(&program, 1, 60);
	const struct rfs_op write = access_at(0, 0, RFS_ACCESS_WRITE), read = access_at(1, 0, RFS_ACCESS_READ);
	const struct rfs_op other = access_at(0, 1, RFS_ACCESS_WRITE);
	const int written = runs_of(&corpus, &write, &read), initial = runs_of(&corpus, NULL, &read);

	cr_expect_eq(corpus.runs, 60);
	cr_expect_eq(written + initial, 60, "%d + %d", written, initial);
	cr_expect_gt(written, 5, "%d", written);
	cr_expect_gt(initial, 5, "%d", initial);
	cr_expect_eq(runs_of(&corpus, &other, &read), -1);
	cr_expect_eq(corpus.n_pairs, 2, "%u", corpus.n_pairs);
	rfs_rff_corpus_release(&corpus);
}

/* Two threads run one body: a read may get the write of either, and both are one event. */
Test(rff, threads_of_one_body_make_the_same_events)
{
	static const struct model_op both[] = {{M_READ, .object = X}, {M_WRITE, .object = X, .value = 1}};
	static const struct model_op main_body[] = {{M_CREATE, .value = 1}, {M_CREATE, .value = 1}};
	static const struct model_body bodies[] = {MODEL_BODY(main_body), MODEL_BODY(both)};
	const struct model_program program = {bodies, 2, 1};
	struct rfs_rff_corpus corpus = corpus_after(&program, 1, 60);
	const struct rfs_op write = access_at(1, 1, RFS_ACCESS_WRITE), read = access_at(1, 0, RFS_ACCESS_READ);
	const int written = runs_of(&corpus, &write, &read);

	cr_expect_eq(corpus.n_pairs, 2, "%u", corpus.n_pairs);
	cr_expect_eq(runs_of(&corpus, NULL, &read), 60); /* one of the reads is the first operation */
	cr_expect(written > 5 && written < 60, "%d", written);
	rfs_rff_corpus_release(&corpus);
}

static const struct model_op locks[] = {{M_LOCK, .object = L}, {M_UNLOCK, .object = L}};

Test(rff, hand_overs_of_locks_are_pairs)
{
	static const struct model_body bodies[] = {MODEL_BODY(locks), MODEL_BODY(locks)};
	const struct model_program program = {bodies, 2, 2};
	struct rfs_rff_corpus corpus = corpus_after(&program, 1, 40);
	const struct rfs_op lock[] = {call_at(0, 0, RFS_OP_LOCK), call_at(1, 0, RFS_OP_LOCK)};
	const struct rfs_op unlock[] = {call_at(0, 1, RFS_OP_UNLOCK), call_at(1, 1, RFS_OP_UNLOCK)};
	const int first = runs_of(&corpus, &unlock[0], &lock[1]), second = runs_of(&corpus, &unlock[1], &lock[0]);

	cr_expect_eq(first + second, 40, "%d + %d", first, second);
	cr_expect_eq(runs_of(&corpus, NULL, &lock[0]), first);
	cr_expect_eq(runs_of(&corpus, NULL, &lock[1]), second);
	rfs_rff_corpus_release(&corpus);
}

static void count_pair(void *arg, uint64_t writer, uint64_t reader, uint64_t address)
{
	(void)writer;
	(void)reader;
	(void)address;
	++*(int *)arg;
}

/* A read of eight bytes gets four from a write of four, and four that nobody has written. */
Test(rff, a_read_gets_each_byte_from_its_last_write)
{
	const struct rfs_op write = {
		.kind = RFS_OP_ACCESS, .access = RFS_ACCESS_WRITE, .site = 1, .object = 0x1004, .size = 4};
	const struct rfs_op before = {
		.kind = RFS_OP_ACCESS, .access = RFS_ACCESS_READ, .site = 2, .object = 0x1000, .size = 4};
	const struct rfs_op across = {
		.kind = RFS_OP_ACCESS, .access = RFS_ACCESS_READ, .site = 3, .object = 0x1000, .size = 8};
	struct rfs_reads_from reads = {0};
	struct rfs_rf_use uses[RFS_USES_MAX];
	struct rfs_op range = across;
	int pairs = 0;

	cr_expect_eq(rfs_reads_from_uses(&write, uses), 1);
	cr_expect_eq(uses[0].bytes, 0xf0, "%x", uses[0].bytes);
	cr_expect(uses[0].writes && !uses[0].reads);
	rfs_reads_from_executed(&reads, 0, &write, count_pair, &pairs);
	cr_expect_eq(pairs, 0);
	rfs_reads_from_executed(&reads, 0, &before, count_pair, &pairs);
	cr_expect_eq(pairs, 4); /* one for each byte */
	rfs_reads_from_uses(&before, uses);
	cr_expect(rfs_reads_from_finds(&reads, uses, RFS_INITIALLY));
	cr_expect_not(rfs_reads_from_finds(&reads, uses, rfs_reads_from_event(&write)));
	rfs_reads_from_uses(&across, uses);
	cr_expect(rfs_reads_from_finds(&reads, uses, RFS_INITIALLY));
	cr_expect(rfs_reads_from_finds(&reads, uses, rfs_reads_from_event(&write)));
	range.object = 0x1003;
	range.size = 1000; /* parts of 17 words and more: only the beginning counts */
	cr_expect_eq(rfs_reads_from_uses(&range, uses), RFS_USES_MAX);
	cr_expect_eq(uses[0].bytes, 0xf8, "%x", uses[0].bytes);
	cr_expect_eq(uses[1].bytes, 0xff, "%x", uses[1].bytes);
	range.size = 6;
	cr_expect_eq(rfs_reads_from_uses(&range, uses), 2);
	cr_expect_eq(uses[1].bytes, 0x01, "%x", uses[1].bytes);
	rfs_reads_from_release(&reads);
}

/* ---- constraints ---- */

#define FAR_WRITES                                                                                                     \
	{M_WRITE, .object = Z, .value = 1}, {M_WRITE, .object = Z, .value = 2}, {M_WRITE, .object = Z, .value = 3},    \
		{M_WRITE, .object = Z, .value = 4}, {M_WRITE, .object = Z, .value = 5},                                \
		{M_WRITE, .object = Z, .value = 6},                                                                    \
	{                                                                                                              \
		M_WRITE, .object = Z, .value = 7                                                                       \
	}

/* The read, late in its thread, gets each of three writes of another thread or of a third one, or none. */
static const struct model_op writer_body[] = {
	{M_WRITE, .object = X, .value = 1}, {M_WRITE, .object = X, .value = 2}, FAR_WRITES};
static const struct model_op late_reader[] = {FAR_WRITES, {M_READ, .object = X}, {M_STORE, .object = Y}};
static const struct model_op third_body[] = {{M_WRITE, .object = X, .value = 3}};
static const struct model_body steered_bodies[] = {MODEL_BODY(writer_body), MODEL_BODY(late_reader),
						   MODEL_BODY(third_body)};
static const struct model_program steered = {steered_bodies, 3, 3};

/* In how many runs the read gets `value`, if the pair of this write and the read is the only one that is known. */
static int steered_runs(const struct rfs_op *writer, int64_t value, int runs)
{
	const struct rfs_op read = access_at(1, 7, RFS_ACCESS_READ);
	struct rfs_rff_corpus corpus;
	struct rfs_blob blob;
	int n = 0;

	cr_assert_eq(rfs_rff_corpus_read(&corpus, NULL), 0);
	corpus.runs = 1;
	corpus.n_pairs = 1;
	corpus.pairs[0] = (struct rfs_rff_pair){.writer = writer ? rfs_reads_from_event(writer) : RFS_INITIALLY,
						.reader = rfs_reads_from_event(&read),
						.address = MODEL_BASE + X,
						.tried = 1}; /* otherwise most runs would ask for it */
	rfs_rff_corpus_write(&corpus, &blob);
	for (int seed = 1; seed <= runs; seed++) {
		const struct model_config config = {
			.policy = rfs_policy_find("rff"), .seed = (uint64_t)seed, .all_accesses = true, .blob = &blob};
		struct model_result result;

		model_run(&steered, &config, &result);
		cr_assert_eq(result.end, MODEL_DONE);
		n += model_value(&result, Y) == value;
		model_release(&result);
	}
	free(blob.data);
	rfs_rff_corpus_release(&corpus);
	return n;
}

/*
 * 7 of 8 runs have a constraint. 3 of 4 of these have a positive one, but one in four is mutated again, and then
 * removed or negated with probability 1/6 each. So 611 of 1000 have a positive one in the end. The others sample.
 */
Test(rff, positive_constraints_are_fulfilled_and_negative_ones_too)
{
	const struct rfs_op writes[] = {access_at(0, 0, RFS_ACCESS_WRITE), access_at(0, 1, RFS_ACCESS_WRITE),
					access_at(2, 0, RFS_ACCESS_WRITE)};
	int free_runs = 0;

	for (int64_t value = 0; value <= 3; value++) {
		const int n = steered_runs(value ? &writes[value - 1] : NULL, value, 1000);

		cr_expect_gt(n, 611 - 3 * 15, "value %ld: %d of 1000", (long)value, n);
		/* a negative constraint cannot be fulfilled if the last write has been executed before the read is due
		 */
		cr_expect_lt(n, 900, "value %ld: %d of 1000 despite negative constraints", (long)value, n);
	}
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		const struct model_config config = {
			.policy = rfs_policy_find("rff"), .seed = seed, .all_accesses = true};
		struct model_result result;

		model_run(&steered, &config, &result);
		free_runs += model_value(&result, Y) == 1;
		model_release(&result);
	}
	cr_expect_lt(free_runs, 150, "%d of 1000", free_runs);
}

/* ---- needles ---- */

/*
 * A reader fails if it comes between the two writes of each of six variables. Under random, it must win and lose
 * seventeen draws in a given order.
 */
#define TWICE(at)                                                                                                      \
	{M_WRITE, .object = (at), .value = 1},                                                                         \
	{                                                                                                              \
		M_WRITE, .object = (at), .value = 2                                                                    \
	}
#define BETWEEN(at)                                                                                                    \
	{M_READ, .object = (at)},                                                                                      \
	{                                                                                                              \
		M_UNLESS, .value = 1, .target = 13                                                                     \
	}
static const struct model_op six_writes[] = {TWICE(0), TWICE(8), TWICE(16), TWICE(24), TWICE(32), TWICE(40)};
static const struct model_op six_reads[] = {BETWEEN(0),	 BETWEEN(8),  BETWEEN(16),	    BETWEEN(24),
					    BETWEEN(32), BETWEEN(40), {M_ERROR, .value = 1}};
static const struct model_body six_bodies[] = {MODEL_BODY(six_writes), MODEL_BODY(six_reads)};

/*
 * Fifty threads publish under one lock and complete under another; the reader fails between. The others make it
 * unlikely that nobody has completed when the reader has seen the first half.
 */
static const struct model_op stage_writer[] = {
	{M_LOCK, .object = L}, {M_WRITE, .object = X, .value = 1}, {M_UNLOCK, .object = L},
	{M_LOCK, .object = M}, {M_WRITE, .object = Y, .value = 1}, {M_UNLOCK, .object = M}};
static const struct model_op stage_reader[] = {
	{M_LOCK, .object = L}, {M_READ, .object = X}, {M_UNLOCK, .object = L}, {M_IF, .value = 0, .target = 9},
	{M_LOCK, .object = M}, {M_READ, .object = Y}, {M_UNLOCK, .object = M}, {M_UNLESS, .value = 0, .target = 9},
	{M_ERROR, .value = 1}};
#define CREATE_10                                                                                                      \
	{M_CREATE, .value = 1}, {M_CREATE, .value = 1}, {M_CREATE, .value = 1}, {M_CREATE, .value = 1},                \
		{M_CREATE, .value = 1}, {M_CREATE, .value = 1}, {M_CREATE, .value = 1}, {M_CREATE, .value = 1},        \
		{M_CREATE, .value = 1},                                                                                \
	{                                                                                                              \
		M_CREATE, .value = 1                                                                                   \
	}
static const struct model_op stage_main[] = {CREATE_10, CREATE_10, CREATE_10,
					     CREATE_10, CREATE_10, {M_CREATE, .value = 2}};
static const struct model_body stage_bodies[] = {MODEL_BODY(stage_main), MODEL_BODY(stage_writer),
						 MODEL_BODY(stage_reader)};

/* The first run of the chain that fails, from 1; 0: none of `most`. */
static int first_failure(const struct model_program *program, const char *policy, uint64_t seed, int most)
{
	struct rfs_blob blob = {0};
	int first = 0;

	for (int i = 1; i <= most && !first; i++) {
		struct model_result result;

		run_next(program, policy, seed + (uint64_t)i, &blob, &result);
		if (result.end == MODEL_ERROR || result.end == MODEL_DEADLOCK)
			first = i;
		model_release(&result);
	}
	free(blob.data);
	return first;
}

Test(rff, needles_that_random_misses_are_found)
{
	static const struct {
		const char *name;
		struct model_program program;
		int most, mean, random_most;
	} table[] = {
		{"six variables", {six_bodies, 2, 2}, 1500, 400, 3000},
		{"two stages", {stage_bodies, 3, 1}, 300, 100, 1000},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const int chains = getenv("RFSUP_CHECK_FULL") ? 10 : 5;
		int sum = 0, missed = 0, random_found = 0;

		for (uint64_t k = 0; k < (uint64_t)chains; k++) {
			const int n = first_failure(&table[i].program, "rff", k * 1000000, table[i].most);

			sum += n ? n : table[i].most;
			missed += !n;
			random_found +=
				first_failure(&table[i].program, "random", k * 1000000, table[i].random_most) > 0;
		}
		cr_expect_eq(missed, 0, "%s: missed %d of %d", table[i].name, missed, chains);
		cr_expect_leq(sum / chains, table[i].mean, "%s: %d runs in the mean", table[i].name, sum / chains);
		cr_expect_leq(random_found, chains * 3 / 10, "%s: random found %d of %d", table[i].name, random_found,
			      chains);
	}
}

/* ---- chains ---- */

Test(rff, the_same_seeds_give_the_same_chain)
{
	static struct generated program;
	struct rfs_blob blobs[2] = {{0}, {0}};

	generate_program(&program, 7);
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct model_result results[2];

		for (int k = 0; k < 2; k++)
			run_next(&program.program, "rff", seed, &blobs[k], &results[k]);
		cr_assert_eq(results[0].n_steps, results[1].n_steps);
		cr_assert_arr_eq(results[0].steps, results[1].steps, results[0].n_steps * sizeof(*results[0].steps));
		cr_assert_eq(blobs[0].size, blobs[1].size);
		cr_assert_arr_eq(blobs[0].data, blobs[1].data, blobs[0].size);
		for (int k = 0; k < 2; k++)
			model_release(&results[k]);
	}
	free(blobs[0].data);
	free(blobs[1].data);
}

Test(rff, each_run_of_a_chain_ends)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		static struct generated program;
		struct rfs_blob blob = {0};

		generate_program(&program, seed);
		for (uint64_t i = 0; i < 20; i++) {
			struct model_result result;

			run_next(&program.program, "rff", seed + i, &blob, &result);
			cr_expect(result.end == MODEL_DONE || result.end == MODEL_DEADLOCK, "seed %lu, run %lu: %d %s",
				  seed, i, result.end, result.complaint);
			model_release(&result);
		}
		free(blob.data);
	}
}

Test(rff, a_blob_that_is_not_its_own_or_damaged_is_refused)
{
	static const struct model_body bodies[] = {MODEL_BODY(writes_x), MODEL_BODY(reads_x)};
	const struct model_program program = {bodies, 2, 2};
	struct rfs_rff_corpus corpus = corpus_after(&program, 1, 20), other;
	char text[80] = "something else";
	struct rfs_blob blob = {text, sizeof(text)};

	cr_expect_eq(rfs_rff_corpus_read(&other, &blob), -EINVAL);
	blob.size = 3;
	cr_expect_eq(rfs_rff_corpus_read(&other, &blob), -EINVAL);
	corpus.schedules[corpus.n_schedules - 1].n = RFS_RFF_CONSTRAINTS_MAX + 1;
	rfs_rff_corpus_write(&corpus, &blob);
	cr_expect_eq(rfs_rff_corpus_read(&other, &blob), -EINVAL);
	blob.size--;
	cr_expect_eq(rfs_rff_corpus_read(&other, &blob), -EINVAL);
	free(blob.data);
	corpus.schedules[corpus.n_schedules - 1].n = 1;
	corpus.schedules[corpus.n_schedules - 1].list[0].pair = (uint16_t)corpus.n_pairs;
	rfs_rff_corpus_write(&corpus, &blob);
	cr_expect_eq(rfs_rff_corpus_read(&other, &blob), -EINVAL);
	free(blob.data);
	rfs_rff_corpus_release(&corpus);
}
