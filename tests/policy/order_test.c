/*
 * order_test.c - the hash of partial orders. All linearisations of one partial order have the same hash, and different
 * orders have different hashes.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/dependence.h"
#include "policy/core/order.h"
#include "policy/core/rng.h"
#include "tests/policy/generate.h"

#include "policy/registry.h"

TestSuite(order, .timeout = 60);

struct step {
	int thread;
	struct rfs_op op;
	enum rfs_outcome outcome;
};

/* The steps of one run of the model machine under simple random. */
struct steps {
	struct step *steps;
	size_t n, capacity;
	const struct rfs_policy_ops *inner;
	void *state;
};

static int watch_init(void **out, const struct rfs_policy_args *args)
{
	struct steps *steps = args->blob->data;

	*out = steps;
	return steps->inner->init(&steps->state, &(struct rfs_policy_args){.seed = args->seed});
}

static int watch_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct steps *steps = opaque;

	return steps->inner->pick(steps->state, view, out);
}

static void watch_event(void *opaque, const struct rfs_event *event)
{
	struct steps *steps = opaque;

	if (event->kind != RFS_EVENT_OP)
		return;
	if (steps->n == steps->capacity) {
		steps->capacity = steps->capacity ? steps->capacity * 2 : 64;
		steps->steps = realloc(steps->steps, steps->capacity * sizeof(*steps->steps));
		cr_assert_not_null(steps->steps);
	}
	steps->steps[steps->n++] = (struct step){event->thread, event->op, event->outcome};
}

static void watch_fini(void *opaque)
{
	struct steps *steps = opaque;

	steps->inner->fini(steps->state);
}

static const struct rfs_policy_ops watch = {.abi = RFS_POLICY_ABI,
					    .name = "watch",
					    .summary = "keeps what ran",
					    .init = watch_init,
					    .pick = watch_pick,
					    .event = watch_event,
					    .fini = watch_fini};

static void random_run(uint64_t seed, struct steps *out)
{
	static struct generated program;
	const struct rfs_blob blob = {out, sizeof(*out)};
	const struct model_config config = {.policy = &watch, .blob = &blob, .seed = seed, .all_accesses = true};
	struct model_result result;

	*out = (struct steps){.inner = rfs_policy_find("random")};
	generate_program(&program, seed);
	model_run(&program.program, &config, &result);
	model_release(&result);
}

/* Hashes the steps, with names that differ from the addresses. */
static struct rfs_order_hash hash_steps(const struct step *steps, size_t n)
{
	struct rfs_order *order = rfs_order_new();
	struct rfs_order_hash hash;

	for (size_t i = 0; i < n; i++) {
		const struct step *s = &steps[i];
		const struct rfs_order_names names = {.thread = (uint64_t)s->thread + 1,
						      .object = s->op.object ^ 0x5555,
						      .object2 = s->op.object2 ^ 0x5555,
						      .peer = (uint64_t)s->op.peer + 1};

		rfs_order_add(order, s->thread, &s->op, s->outcome, &names);
	}
	hash = rfs_order_get(order);
	rfs_order_free(order);
	return hash;
}

static bool same(struct rfs_order_hash a, struct rfs_order_hash b)
{
	return a.low == b.low && a.high == b.high;
}

static void swap(struct step *a, struct step *b)
{
	struct step old = *a;

	*a = *b;
	*b = old;
}

Test(order, swapped_neighbours_change_the_hash_only_where_they_depend_on_each_other)
{
	size_t independent = 0, dependent = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct rfs_order_hash hash;
		struct steps run;

		random_run(seed, &run);
		hash = hash_steps(run.steps, run.n);
		for (size_t i = 0; i + 1 < run.n; i++) {
			struct step *a = &run.steps[i], *b = &run.steps[i + 1];
			bool depends = rfs_dependent(a->thread, &a->op, b->thread, &b->op);
			struct rfs_order_hash other;

			if (a->thread == b->thread)
				continue;
			swap(a, b);
			other = hash_steps(run.steps, run.n);
			cr_expect_eq(same(hash, other), !depends, "seed %lu step %zu: %s and %s", seed, i,
				     rfs_op_name(a->op.kind), rfs_op_name(b->op.kind));
			swap(a, b);
			independent += !depends;
			dependent += depends;
		}
		free(run.steps);
	}
	cr_expect_gt(independent, 2000, "%zu", independent);
	cr_expect_gt(dependent, 300, "%zu", dependent);
}

/* Swaps independent neighbours many times. Each swap makes another linearisation of the same partial order. */
Test(order, all_linearisations_have_one_hash)
{
	struct rfs_rng rng;

	rfs_rng_init(&rng, 1);
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct rfs_order_hash hash;
		struct steps run;

		random_run(seed, &run);
		hash = hash_steps(run.steps, run.n);
		for (int i = 0; i < 2000 && run.n > 1; i++) {
			size_t at = rfs_rng_below(&rng, run.n - 1);
			struct step *a = &run.steps[at], *b = a + 1;

			if (!rfs_dependent(a->thread, &a->op, b->thread, &b->op))
				swap(a, b);
		}
		cr_expect(same(hash, hash_steps(run.steps, run.n)), "seed %lu", seed);
		free(run.steps);
	}
}

static struct step access(int thread, unsigned flags, rfs_addr object, uint64_t size)
{
	return (struct step){thread,
			     {.kind = RFS_OP_ACCESS, .peer = -1, .access = flags, .object = object, .size = size},
			     RFS_OUTCOME_DONE};
}

/* Ranges that overlap in part, also at the end of memory. Earlier accesses have split memory at various borders. */
Test(order, ranges)
{
	const unsigned r = RFS_ACCESS_READ, w = RFS_ACCESS_WRITE;
	const rfs_addr top = UINT64_MAX - 7;
	const struct {
		struct step steps[3], other[3];
		bool equal;
	} table[] = {
		/* two halves, then both together */
		{{access(1, w, 64, 4), access(2, w, 68, 4), access(3, r, 64, 8)},
		 {access(2, w, 68, 4), access(1, w, 64, 4), access(3, r, 64, 8)},
		 true},
		{{access(1, w, 64, 4), access(2, w, 68, 4), access(3, r, 64, 8)},
		 {access(1, w, 64, 4), access(3, r, 64, 8), access(2, w, 68, 4)},
		 false},
		/* readers of parts, with different borders */
		{{access(1, r, 60, 8), access(2, r, 64, 8), access(3, r, 62, 3)},
		 {access(3, r, 62, 3), access(2, r, 64, 8), access(1, r, 60, 8)},
		 true},
		{{access(1, r, 60, 8), access(2, r, 64, 8), access(3, w, 66, 1)},
		 {access(2, r, 64, 8), access(1, r, 60, 8), access(3, w, 66, 1)},
		 true},
		{{access(1, r, 60, 8), access(2, r, 64, 8), access(3, w, 66, 1)},
		 {access(1, r, 60, 8), access(3, w, 66, 1), access(2, r, 64, 8)},
		 false},
		{{access(1, w, top, 8), access(2, w, 0, 8), access(3, r, top + 7, 1)},
		 {access(2, w, 0, 8), access(1, w, top, 8), access(3, r, top + 7, 1)},
		 true},
		{{access(1, w, top, 8), access(2, w, 0, 8), access(3, r, top + 7, 1)},
		 {access(2, w, 0, 8), access(3, r, top + 7, 1), access(1, w, top, 8)},
		 false},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		cr_expect_eq(same(hash_steps(table[i].steps, 3), hash_steps(table[i].other, 3)), table[i].equal,
			     "row %zu", i);
}

/* If addresses and thread numbers change but the names stay, the hash is the same. */
Test(order, only_names_count)
{
	struct rfs_order_hash hashes[2];

	for (int shift = 0; shift < 2; shift++) {
		struct rfs_order *order = rfs_order_new();
		const rfs_addr lock = 0x1000 + (rfs_addr)shift * 0x800;

		for (int i = 0; i < 4; i++) {
			const struct rfs_op op = {
				.kind = i % 2 ? RFS_OP_UNLOCK : RFS_OP_LOCK, .peer = -1, .object = lock};
			const struct rfs_order_names names = {.thread = (uint64_t)i / 2 + 1, .object = 9};

			rfs_order_add(order, i / 2 + 5 * shift, &op, RFS_OUTCOME_DONE, &names);
		}
		hashes[shift] = rfs_order_get(order);
		rfs_order_free(order);
	}
	cr_expect(same(hashes[0], hashes[1]));
}

/* Accesses to neighbouring bytes, with a reset of memory between them, before them and behind them. */
Test(order, a_reset_of_other_memory_changes_nothing)
{
	struct rfs_order_hash hashes[2];

	for (int resets = 0; resets < 2; resets++) {
		struct rfs_order *order = rfs_order_new();

		for (int i = 0; i < 4; i++) {
			const int thread = 1 + i % 2;
			const struct step s =
				access(thread, RFS_ACCESS_WRITE, i < 2 ? (rfs_addr)0x1000 : (rfs_addr)0x1010, 8);
			const struct rfs_order_names names = {.thread = (uint64_t)thread, .object = (uint64_t)i / 2};

			for (rfs_addr address = 0xff8; resets && address < 0x1028; address += 16)
				rfs_order_reset(order, address, 8);
			rfs_order_add(order, s.thread, &s.op, s.outcome, &names);
		}
		hashes[resets] = rfs_order_get(order);
		rfs_order_free(order);
	}
	cr_expect(same(hashes[0], hashes[1]));
}

/* An access before a reset and one after it are independent: the memory was allocated again. */
Test(order, reset_memory_has_no_past)
{
	struct rfs_order_hash hashes[2];

	for (int swapped = 0; swapped < 2; swapped++) {
		struct rfs_order *order = rfs_order_new();

		for (int i = 0; i < 2; i++) {
			const int thread = 1 + (i ^ swapped);
			const struct step s = access(thread, RFS_ACCESS_WRITE, 0x1000, 8);
			const struct rfs_order_names names = {.thread = (uint64_t)thread, .object = (uint64_t)thread};

			rfs_order_reset(order, 0xff0, 64);
			rfs_order_add(order, s.thread, &s.op, s.outcome, &names);
		}
		hashes[swapped] = rfs_order_get(order);
		rfs_order_free(order);
	}
	cr_expect(same(hashes[0], hashes[1]));
}

/*
 * The same accesses and resets at other addresses have the same hash, wherever the borders of regions are. Sizes
 * go from one byte to several regions.
 */
Test(order, the_place_of_memory_does_not_matter)
{
	static const rfs_addr shifts[] = {0, 1, 4096, 65535, 65536, 100000, (rfs_addr)1 << 46};
	struct rfs_order_hash hashes[sizeof(shifts) / sizeof(*shifts)];

	for (size_t i = 0; i < sizeof(shifts) / sizeof(*shifts); i++) {
		struct rfs_order *order = rfs_order_new(), *copy;
		struct rfs_rng rng;

		rfs_rng_init(&rng, 7);
		for (int k = 0; k < 3000; k++) {
			const int thread = 1 + (int)rfs_rng_below(&rng, 3);
			const rfs_addr address = 0x10000 + rfs_rng_below(&rng, 300000) + shifts[i];
			const uint64_t size =
				rfs_rng_below(&rng, 8) ? 1 + rfs_rng_below(&rng, 16) : 1 + rfs_rng_below(&rng, 200000);
			const unsigned flags = rfs_rng_below(&rng, 2) ? RFS_ACCESS_WRITE : RFS_ACCESS_READ;
			const struct step s = access(thread, flags, address, size);
			const struct rfs_order_names names = {.thread = (uint64_t)thread};

			if (rfs_rng_below(&rng, 20) == 0)
				rfs_order_reset(order, address, size);
			else
				rfs_order_add(order, s.thread, &s.op, s.outcome, &names);
		}
		copy = rfs_order_copy(order);
		rfs_order_free(order);
		hashes[i] = rfs_order_get(copy);
		rfs_order_free(copy);
		cr_expect(same(hashes[0], hashes[i]), "%#llx", (unsigned long long)shifts[i]);
	}
}

/* A wrong length, as of memset(p, 0, -1), takes no longer than another one. */
Test(order, a_huge_range)
{
	static const uint64_t sizes[] = {(uint64_t)1 << 40, UINT64_MAX};
	struct rfs_order_hash hashes[2];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (int swapped = 0; swapped < 2; swapped++) {
			struct rfs_order *order = rfs_order_new();

			for (int k = 0; k < 2; k++) {
				const bool huge = k == swapped;
				const struct step s = access(huge ? 1 : 2, RFS_ACCESS_WRITE, huge ? 0x1000 : 0x2000,
							     huge ? sizes[i] : 8);
				const struct rfs_order_names names = {.thread = (uint64_t)s.thread};

				rfs_order_add(order, s.thread, &s.op, s.outcome, &names);
			}
			hashes[swapped] = rfs_order_get(order);
			rfs_order_free(order);
		}
		cr_expect_not(same(hashes[0], hashes[1]));
	}
}
