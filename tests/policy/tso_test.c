/*
 * tso_test.c - store buffers on the model machine: on litmus tests, samplers reach exactly the final states that the
 * abstract machine of x86-TSO has, and the published verdicts hold. On random programs with accesses of many sizes, the
 * same is true of the values in memory.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/samplers/schedule.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/store_buffer.h"
#include "tests/policy/litmus.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(tso, .timeout = 300);

#define RESULTS 64 /* offset of the registers in memory; x and y are at 0 and 8 */

struct program {
	struct model_op ops[LITMUS_THREADS][LITMUS_OPS + LITMUS_REGISTERS];
	struct model_body bodies[LITMUS_THREADS];
	struct model_program program;
};

/* The litmus test as a program of the model machine, which copies its registers to memory at the end. */
static void translate(const struct litmus *test, struct program *out)
{
	size_t n = litmus_threads(test);

	memset(out, 0, sizeof(*out));
	for (size_t t = 0; t < n; t++) {
		struct model_op *to = out->ops[t];

		for (const struct litmus_op *op = test->ops[t]; op->code != L_END; op++, to++) {
			static const enum model_code codes[] = {
				[L_STORE] = M_WRITE, [L_LOAD] = M_READ, [L_FENCE] = M_FENCE, [L_LOCKED] = M_ATOMIC_INC};

			*to = (struct model_op){.code = codes[op->code],
						.reg = op->reg,
						.object = 8 * (uint64_t)op->word,
						.value = op->value};
		}
		for (int r = 0; r < LITMUS_REGISTERS; r++, to++)
			*to = (struct model_op){.code = M_STORE,
						.reg = r,
						.object = RESULTS + 8 * (t * LITMUS_REGISTERS + (uint64_t)r)};
		out->bodies[t] = (struct model_body){out->ops[t], (size_t)(to - out->ops[t])};
	}
	out->program = (struct model_program){out->bodies, n, n};
}

static struct litmus_state state_of(const struct model_result *result)
{
	struct litmus_state state = {0};

	for (size_t i = 0; i < LITMUS_THREADS * LITMUS_REGISTERS; i++)
		state.values[i] = (unsigned char)model_value(result, RESULTS + 8 * i);
	for (size_t i = 0; i < LITMUS_WORDS; i++)
		state.values[LITMUS_THREADS * LITMUS_REGISTERS + i] = (unsigned char)model_value(result, 8 * i);
	return state;
}

static void sample(const struct litmus *test, const char *policy, const char *options, bool tso, uint64_t runs,
		   struct litmus_states *out)
{
	struct rfs_blob blob = {0};
	struct program program;

	translate(test, &program);
	*out = (struct litmus_states){0};
	for (uint64_t seed = 1; seed <= runs; seed++) {
		struct rfs_blob saved = {0};
		const struct model_config config = {.policy = rfs_policy_find(policy),
						    .options = options,
						    .seed = seed,
						    .blob = blob.data ? &blob : NULL,
						    .saved = &saved,
						    .all_accesses = true,
						    .hints = true,
						    .tso = tso};
		struct model_result result;
		struct litmus_state state;

		model_run(&program.program, &config, &result);
		cr_assert_eq(result.end, MODEL_DONE, "%s %s: %d %s", test->name, policy, result.end, result.complaint);
		state = state_of(&result);
		(void)litmus_states_add(out, &state);
		model_release(&result);
		free(blob.data);
		blob = saved;
	}
	free(blob.data);
}

static bool some_is_state(const struct litmus *test, const struct litmus_states *states)
{
	for (size_t i = 0; i < states->n; i++)
		if (litmus_is_state(test, &states->list[i]))
			return true;
	return false;
}

Test(tso, the_abstract_machine_has_the_published_verdicts)
{
	for (size_t i = 0; i < n_litmus_tests; i++) {
		struct litmus_states tso, sc;

		litmus_all(&litmus_tests[i], true, &tso);
		litmus_all(&litmus_tests[i], false, &sc);
		cr_expect_eq(some_is_state(&litmus_tests[i], &tso), litmus_tests[i].allowed, "%s",
			     litmus_tests[i].name);
		cr_expect_not(some_is_state(&litmus_tests[i], &sc), "%s", litmus_tests[i].name);
		free(tso.list);
		free(sc.list);
	}
}

static void expect_same(const struct litmus *test, const char *policy, const struct litmus_states *found,
			const struct litmus_states *all, bool complete)
{
	for (size_t k = 0; k < found->n; k++)
		cr_expect(litmus_states_has(all, &found->list[k]), "%s %s: a state that x86-TSO does not have",
			  test->name, policy);
	if (complete)
		cr_expect_eq(found->n, all->n, "%s %s: %zu of %zu states", test->name, policy, found->n, all->n);
}

Test(tso, random_walks_reach_all_states_of_each_test_and_no_other)
{
	for (size_t i = 0; i < n_litmus_tests; i++)
		for (int tso = 0; tso < 2; tso++) {
			struct litmus_states all, found;

			litmus_all(&litmus_tests[i], tso, &all);
			sample(&litmus_tests[i], "random", NULL, tso, 4000, &found);
			expect_same(&litmus_tests[i], tso ? "tso" : "sc", &found, &all, true);
			free(all.list);
			free(found.list);
		}
}

Test(tso, no_policy_reaches_a_state_that_x86_does_not_have)
{
	static const char *const policies[][2] = {{"pos", NULL},  {"rapos", NULL}, {"pct", "depth=3,steps=12"},
						  {"surw", NULL}, {"delay", NULL}, {"sweep", NULL},
						  {"atom", NULL}};

	for (size_t i = 0; i < n_litmus_tests; i++) {
		struct litmus_states all;

		litmus_all(&litmus_tests[i], true, &all);
		for (size_t p = 0; p < sizeof(policies) / sizeof(*policies); p++) {
			struct litmus_states found;

			if (!rfs_policy_find(policies[p][0]))
				cr_assert_fail("%s", policies[p][0]);
			sample(&litmus_tests[i], policies[p][0], policies[p][1], true, 1500, &found);
			expect_same(&litmus_tests[i], policies[p][0], &found, &all, false);
			if (litmus_tests[i].allowed)
				cr_expect(some_is_state(&litmus_tests[i], &found), "%s never reached under %s",
					  litmus_tests[i].name, policies[p][0]);
			free(found.list);
		}
		free(all.list);
	}
}

Test(tso, a_schedule_without_directives_delays_nothing)
{
	for (size_t i = 0; i < n_litmus_tests; i++) {
		struct litmus_states sc, found;

		litmus_all(&litmus_tests[i], false, &sc);
		sample(&litmus_tests[i], RFS_POLICY_SCHEDULE, NULL, true, 1, &found);
		expect_same(&litmus_tests[i], "schedule", &found, &sc, false);
		free(sc.list);
		free(found.list);
	}
}

/* ---- the buffer itself ---- */

#define BYTES 64

static bool read_bytes(void *arg, rfs_addr address, void *buf, size_t n)
{
	if (address + n > BYTES)
		return false;
	memcpy(buf, (unsigned char *)arg + address, n);
	return true;
}

static bool write_bytes(void *arg, rfs_addr address, const void *buf, size_t n)
{
	if (address + n > BYTES)
		return false;
	memcpy((unsigned char *)arg + address, buf, n);
	return true;
}

static void store_bytes(struct rfs_store_buffer *buffer, unsigned char *memory, rfs_addr address, size_t size,
			unsigned char value)
{
	unsigned char under[RFS_STORE_MAX], bytes[RFS_STORE_MAX];

	memcpy(under, memory + address, size);
	memset(bytes, value, size);
	memcpy(memory + address, bytes, size);
	(void)rfs_store_buffer_add(buffer, address, size, under, bytes);
}

/* Stores of 1 to 32 bytes that overlap: memory has the old bytes while hidden, the new ones while shown. */
Test(tso, overlapping_stores_are_hidden_shown_and_committed_in_order)
{
	unsigned char memory[BYTES], expected[BYTES] = {0}, view[BYTES] = {0};
	const struct rfs_model_memory access = {read_bytes, write_bytes, memory};
	struct rfs_store_buffer buffer = {0};
	struct {
		rfs_addr address;
		size_t size;
	} stores[64];
	uint64_t random = 1;

	memset(memory, 0, sizeof(memory));
	for (size_t i = 0; i < 64; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		stores[i].size = (size_t)1 << (random >> 40) % 6;
		stores[i].address = (random >> 50) % (BYTES - stores[i].size + 1);
		rfs_store_buffer_show(&buffer, &access);
		cr_assert_arr_eq(memory, view, BYTES);
		store_bytes(&buffer, memory, stores[i].address, stores[i].size, (unsigned char)(i + 1));
		memset(view + stores[i].address, (int)i + 1, stores[i].size);
		cr_assert_arr_eq(memory, view, BYTES);
		rfs_store_buffer_hide(&buffer, &access);
		cr_assert_arr_eq(memory, expected, BYTES);
	}
	for (size_t i = 0; i < 64; i++) {
		if (i % 3 == 0)
			rfs_store_buffer_show(&buffer, &access);
		rfs_store_buffer_commit(&buffer, &access, 1);
		cr_assert(!buffer.n || buffer.shown == (i % 3 == 0));
		rfs_store_buffer_hide(&buffer, &access);
		memset(expected + stores[i].address, (int)i + 1, stores[i].size);
		cr_assert_arr_eq(memory, expected, BYTES);
	}
	cr_assert_eq(buffer.n, 0);
	cr_assert_arr_eq(memory, view, BYTES);
	rfs_store_buffer_release(&buffer);
}

Test(tso, a_load_that_is_covered_in_part_waits_for_the_youngest_store_that_overlaps)
{
	unsigned char memory[BYTES] = {0};
	struct rfs_store_buffer buffer = {0};
	static const struct {
		rfs_addr address;
		uint64_t size;
		size_t before;
	} loads[] = {
		{0, 4, 0},  /* covered by the first store */
		{0, 8, 2},  /* the youngest store that overlaps is the second one */
		{6, 1, 0},  /* covered by the second store */
		{6, 4, 2},  /* beyond its end */
		{16, 8, 0}, /* no store overlaps */
		{20, 8, 3}, {24, 1, 0}, {24, 4, 0}, {22, 4, 3},
	};

	store_bytes(&buffer, memory, 0, 6, 1);
	store_bytes(&buffer, memory, 6, 2, 2);
	store_bytes(&buffer, memory, 24, 4, 3);
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		cr_expect_eq(rfs_store_buffer_before_load(&buffer, loads[i].address, loads[i].size), loads[i].before,
			     "load %zu", i);
	cr_expect(rfs_store_buffer_overlaps(&buffer, 7, 2));
	cr_expect(!rfs_store_buffer_overlaps(&buffer, 8, 16));
	rfs_store_buffer_release(&buffer);
}

Test(tso, a_store_that_follows_leaves_the_buffer_together_with_the_one_before_it)
{
	unsigned char memory[BYTES] = {0};
	const struct rfs_model_memory access = {read_bytes, write_bytes, memory};
	struct rfs_store_buffer buffer = {0};

	cr_assert_eq(rfs_store_buffer_next(&buffer), 0);
	store_bytes(&buffer, memory, 0, 1, 1);
	store_bytes(&buffer, memory, 1, 1, 2);
	buffer.stores[1].follows = true;
	store_bytes(&buffer, memory, 2, 1, 3);
	rfs_store_buffer_hide(&buffer, &access);
	cr_assert_eq(rfs_store_buffer_next(&buffer), 2);
	rfs_store_buffer_commit(&buffer, &access, 2);
	cr_assert(memory[0] == 1 && memory[1] == 2 && memory[2] == 0);
	cr_assert_eq(rfs_store_buffer_next(&buffer), 1);
	rfs_store_buffer_release(&buffer);
}
