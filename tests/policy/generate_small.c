#include "tests/policy/generate_small.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"

enum { LOCK_A, LOCK_B, RW_LOCK, CONDITION, SEMAPHORE, BARRIER };
enum { REG_RESULT = 1, REG_COUNT = 2, REG_VALUE = 3, REG_THREAD = 3 }; /* thread i is in REG_THREAD + i */

struct writer {
	struct model_op *ops;
	size_t n;
	struct rfs_rng *rng;
	unsigned yields; /* so many more times may the thread give up its turn */
};

static void put(struct writer *w, struct model_op op)
{
	if (w->n == SMALL_OPS)
		abort();
	w->ops[w->n++] = op;
}

static void put_access(struct writer *w)
{
	static const enum model_code codes[] = {M_READ, M_WRITE, M_INC, M_ATOMIC_INC, M_WRITE, M_READ};
	enum model_code code = codes[rfs_rng_below(w->rng, sizeof(codes) / sizeof(*codes))];

	put(w, (struct model_op){code, .object = 8 * rfs_rng_below(w->rng, 3), .reg = REG_VALUE,
				 .value = (int64_t)rfs_rng_below(w->rng, 3)});
	if (code == M_READ && rfs_rng_chance(w->rng, 1, 3)) {
		put(w, (struct model_op){M_UNLESS, .reg = REG_VALUE, .value = 1 + (int64_t)rfs_rng_below(w->rng, 2),
					 .target = w->n + 2});
		put(w, (struct model_op){M_ERROR, .value = 1 + (int64_t)rfs_rng_below(w->rng, 3)});
	}
}

/* A loop of two rounds, each with an access before the yield or sleep. */
static void put_loop(struct writer *w, enum model_code yield)
{
	size_t start = w->n + 1;

	put(w, (struct model_op){M_SET, .reg = REG_COUNT, .value = 0});
	put(w, (struct model_op){M_ATOMIC_INC, .object = 8 * rfs_rng_below(w->rng, 3)});
	put(w, (struct model_op){.code = yield});
	put(w, (struct model_op){M_ADD, .reg = REG_COUNT, .value = 1});
	put(w, (struct model_op){M_UNLESS, .reg = REG_COUNT, .value = 2, .target = start});
}

static void put_statement(struct writer *w)
{
	uint64_t lock = rfs_rng_below(w->rng, 2);
	bool coin = rfs_rng_chance(w->rng, 1, 2);
	uint64_t which = rfs_rng_below(w->rng, 14);
	/* how often it may give up its turn: a trylock does if it fails */
	const unsigned yields = which == 8 || which == 6 || (which == 5 && !coin) ? 1 : which == 7 ? 2 : 0;

	if (yields > w->yields)
		which = 13;
	else
		w->yields -= yields;
	switch (which) {
	case 0:
		put(w, (struct model_op){M_LOCK, .object = lock});
		put_access(w);
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 1:
		put(w, (struct model_op){M_LOCK, .object = lock});
		put(w, (struct model_op){M_LOCK, .object = 1 - lock});
		put(w, (struct model_op){M_UNLOCK, .object = 1 - lock});
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 2:
		put(w, (struct model_op){coin ? M_RDLOCK : M_WRLOCK, .object = RW_LOCK});
		put_access(w);
		put(w, (struct model_op){M_RWUNLOCK, .object = RW_LOCK});
		break;
	case 3:
		put(w, (struct model_op){coin ? M_SEM_POST : M_SEM_WAIT, .object = SEMAPHORE});
		break;
	case 4:
		put(w, (struct model_op){coin ? M_SIGNAL : M_BROADCAST, .object = CONDITION});
		break;
	case 5:
		put(w, (struct model_op){M_LOCK, .object = LOCK_A});
		put(w, (struct model_op){coin ? M_COND_WAIT : M_COND_TIMEDWAIT, .object = CONDITION, .object2 = LOCK_A,
					 .reg = REG_RESULT});
		put(w, (struct model_op){M_UNLOCK, .object = LOCK_A});
		break;
	case 6:
		put(w, (struct model_op){coin ? M_TRYLOCK : M_TIMEDLOCK, .object = lock, .reg = REG_RESULT});
		put(w, (struct model_op){M_UNLESS, .reg = REG_RESULT, .value = 1, .target = w->n + 3});
		put(w, (struct model_op){M_ATOMIC_INC, .object = 8 * rfs_rng_below(w->rng, 3)});
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 7:
		put_loop(w, coin ? M_SLEEP : M_YIELD);
		break;
	case 8:
		put(w, (struct model_op){.code = coin ? M_SLEEP : M_YIELD});
		break;
	case 9:
		put(w, (struct model_op){M_BARRIER, .object = BARRIER, .value = 2});
		break;
	default:
		put_access(w);
	}
}

void generate_small(struct small_program *out, uint64_t seed, unsigned max_yields)
{
	struct rfs_rng rng;
	size_t n;
	bool creates;

	memset(out, 0, sizeof(*out));
	rfs_rng_init(&rng, seed);
	n = 2 + rfs_rng_below(&rng, 2);
	creates = rfs_rng_chance(&rng, 1, 2);
	for (size_t k = 0; k < n; k++) {
		struct writer w = {.ops = out->ops[k], .rng = &rng, .yields = max_yields};
		size_t statements = 1 + rfs_rng_below(&rng, n == 2 ? 4 : 2);

		for (size_t i = 1; k == 0 && creates && i < n; i++)
			put(&w, (struct model_op){M_CREATE, .reg = REG_THREAD + (int)i, .value = (int64_t)i});
		for (size_t i = 0; i < statements; i++)
			put_statement(&w);
		for (size_t i = 1; k == 0 && creates && i < n && rfs_rng_chance(&rng, 1, 2); i++)
			put(&w, (struct model_op){M_JOIN, .reg = REG_THREAD + (int)i});
		out->bodies[k] = (struct model_body){out->ops[k], w.n};
	}
	out->program = (struct model_program){out->bodies, n, creates ? 1 : n};
}
