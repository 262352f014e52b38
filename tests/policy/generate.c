#include "tests/policy/generate.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"

#define MEMORY 40 /* bytes that the threads share: five words, accessed also in parts */
#define FLAG 128  /* the word that spin reads wait for */
#define LOCKS 3	  /* locks are 0 to 2; 3: readers-writer lock; 4: condition variable; 5: semaphore */
#define MAX_STATEMENTS 8

enum { RW_LOCK = LOCKS, CONDITION, SEMAPHORE, BARRIER };

struct writer {
	struct model_op *ops;
	size_t n;
	struct rfs_rng *rng;
};

static void put(struct writer *w, struct model_op op)
{
	if (w->n == GENERATED_OPS)
		abort();
	w->ops[w->n++] = op;
}

static void put_access(struct writer *w)
{
	static const enum model_code codes[] = {M_READ, M_READ, M_WRITE, M_WRITE, M_INC, M_ATOMIC_INC, M_FILL};
	enum model_code code = codes[rfs_rng_below(w->rng, sizeof(codes) / sizeof(*codes))];
	uint64_t size = code == M_FILL ? 1 + rfs_rng_below(w->rng, 24) : UINT64_C(1) << rfs_rng_below(w->rng, 4);

	put(w, (struct model_op){.code = code,
				 .reg = MODEL_REGISTERS - 1, /* others hold thread numbers and counters */
				 .object = rfs_rng_below(w->rng, MEMORY - size + 1),
				 .size = size,
				 .value = rfs_rng_below(w->rng, 3)});
}

static void put_statement(struct writer *w)
{
	uint64_t lock = rfs_rng_below(w->rng, LOCKS);
	bool shared = rfs_rng_chance(w->rng, 1, 2);

	switch (rfs_rng_below(w->rng, 12)) {
	case 0:
		put(w, (struct model_op){M_LOCK, .object = lock});
		put_access(w);
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 1: /* two locks, in any order: may deadlock */
		put(w, (struct model_op){M_LOCK, .object = lock});
		put(w, (struct model_op){M_LOCK, .object = (lock + 1) % LOCKS});
		put_access(w);
		put(w, (struct model_op){M_UNLOCK, .object = (lock + 1) % LOCKS});
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 2:
		put(w, (struct model_op){shared ? M_RDLOCK : M_WRLOCK, .object = RW_LOCK});
		put_access(w);
		put(w, (struct model_op){M_RWUNLOCK, .object = RW_LOCK});
		break;
	case 3:
		put(w, (struct model_op){shared ? M_SEM_POST : M_SEM_WAIT, .object = SEMAPHORE});
		break;
	case 4:
		put(w, (struct model_op){shared ? M_SIGNAL : M_BROADCAST, .object = CONDITION});
		break;
	case 5:
		put(w, (struct model_op){M_LOCK, .object = lock});
		put(w, (struct model_op){shared ? M_COND_WAIT : M_COND_TIMEDWAIT, .object = CONDITION, .object2 = lock,
					 .reg = 1});
		put_access(w);
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 6: /* a trylock or timed lock; only if it succeeds, an access and the unlock */
		put(w, (struct model_op){shared ? M_TRYLOCK : M_TIMEDLOCK, .object = lock, .reg = 1});
		put(w, (struct model_op){M_UNLESS, .reg = 1, .value = 1, .target = w->n + 3});
		put_access(w);
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 7: {
		size_t start = w->n + 1;

		put(w, (struct model_op){M_SET, .reg = 2, .value = 0});
		put_access(w);
		put(w, (struct model_op){.code = shared ? M_YIELD : M_SLEEP});
		put(w, (struct model_op){M_ADD, .reg = 2, .value = 1});
		put(w, (struct model_op){M_UNLESS, .reg = 2, .value = 3, .target = start});
		break;
	}
	case 8:
		put(w, (struct model_op){shared ? M_RESET : M_FREE, .object = rfs_rng_below(w->rng, 8),
					 .size = 1 + rfs_rng_below(w->rng, 32)});
		break;
	default:
		put_access(w);
	}
}

/* Writes the operations of thread k. Threads are numbered from 1. */
static void generate_body(struct writer *w, size_t k)
{
	size_t statements = 1 + rfs_rng_below(w->rng, MAX_STATEMENTS - 3);

	if (k == 1)
		put(w, (struct model_op){M_WRITE, .object = FLAG, .value = 1});
	for (size_t i = 0; i < statements; i++)
		put_statement(w);
	if (k > 1 && rfs_rng_chance(w->rng, 1, 3))
		put(w, (struct model_op){M_SPIN, .object = FLAG, .value = 1});
	put_access(w);
}

void generate_program(struct generated *out, uint64_t seed)
{
	struct rfs_rng rng;
	struct writer main_writer = {.ops = out->ops[0], .rng = &rng};
	size_t n_threads;

	memset(out, 0, sizeof(*out));
	rfs_rng_init(&rng, seed);
	n_threads = 2 + rfs_rng_below(&rng, 3);
	put_access(&main_writer);
	for (size_t k = 1; k <= n_threads; k++) {
		/* In some programs two threads run the same body, so that a site can race with itself. */
		size_t body = k == 3 && rfs_rng_chance(&rng, 1, 2) ? 2 : k;

		put(&main_writer, (struct model_op){M_CREATE, .reg = k - 1, .value = body});
	}
	put_access(&main_writer);
	for (size_t k = 1; k <= n_threads; k++)
		put(&main_writer, (struct model_op){M_JOIN, .reg = k - 1});
	put_access(&main_writer);
	out->bodies[0] = (struct model_body){out->ops[0], main_writer.n};
	for (size_t k = 1; k < GENERATED_BODIES; k++) {
		struct writer writer = {.ops = out->ops[k], .rng = &rng};

		generate_body(&writer, k);
		out->bodies[k] = (struct model_body){out->ops[k], writer.n};
	}
	out->program = (struct model_program){out->bodies, GENERATED_BODIES, 1};
}

void generate_pair(const struct generated *program, uint64_t seed, rfs_site pair[2])
{
	struct rfs_rng rng;

	rfs_rng_init_stream(&rng, seed, 1);
	for (int i = 0; i < 2; i++) {
		const struct model_body *body;
		size_t b, at;

		do {
			b = 1 + rfs_rng_below(&rng, GENERATED_BODIES - 1);
			body = &program->bodies[b];
			at = rfs_rng_below(&rng, body->n);
		} while (body->ops[at].code < M_READ || body->ops[at].code > M_FREE);
		pair[i] = MODEL_SITE(b, at);
	}
	if (rfs_rng_chance(&rng, 1, 3))
		pair[1] = pair[0];
}
