/*
 * RAPOS samples more distinct partial orders than simple random (Sen, ASE 2007, table 1: 1.4 to 18.8 times as many).
 * The programs are model versions of the paper's, and their main thread creates the other threads. Seeds are fixed.
 * Orders are counted by the hash of order.h. For one program the number of possible orders is known, and the hash must
 * find exactly that many.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/order.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(distinct, .timeout = 120);

/* ---- programs: thread 0 creates threads 1 to n ---- */

#define BODY_MAX 128

struct building {
	struct model_op ops[MODEL_THREADS][BODY_MAX];
	struct model_body bodies[MODEL_THREADS];
	struct model_program program;
};

static void emit(struct building *b, size_t body, struct model_op op)
{
	cr_assert_lt(b->bodies[body].n, BODY_MAX);
	b->ops[body][b->bodies[body].n++] = op;
}

static void lock(struct building *b, size_t body, uint64_t object)
{
	emit(b, body, (struct model_op){M_LOCK, .object = object});
}

static void unlock(struct building *b, size_t body, uint64_t object)
{
	emit(b, body, (struct model_op){M_UNLOCK, .object = object});
}

static const struct model_program *finish(struct building *b, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		emit(b, 0, (struct model_op){M_CREATE, .value = (int64_t)i});
	for (size_t i = 0; i <= n; i++)
		b->bodies[i].ops = b->ops[i];
	b->program = (struct model_program){b->bodies, n + 1, 1};
	return &b->program;
}

/* Seven threads lock and unlock once: four of them one lock, three another. There are 4! * 3! orders. */
static const struct model_program *collections(struct building *b)
{
	static const uint64_t locks[] = {0, 1, 0, 0, 1, 1, 0};

	for (size_t i = 0; i < 7; i++) {
		lock(b, i + 1, locks[i]);
		unlock(b, i + 1, locks[i]);
	}
	return finish(b, 7);
}

/* Five philosophers eat twice each. They take the fork with the lower number first. */
static const struct model_program *philosophers(struct building *b)
{
	for (size_t seat = 0; seat < 5; seat++)
		for (int meal = 0; meal < 2; meal++) {
			uint64_t low = seat == 4 ? 0 : seat, high = seat == 4 ? 4 : seat + 1;

			lock(b, seat + 1, low);
			lock(b, seat + 1, high);
			unlock(b, seat + 1, high);
			unlock(b, seat + 1, low);
		}
	return finish(b, 5);
}

/*
 * Waits while the count of queue q is `until`, adds `change` to the count, and signals. Lock q protects the count at
 * offset 8 q. Its conditions are 10 + q and 20 + q.
 */
static void hand(struct building *b, size_t body, uint64_t q, int64_t until, int64_t change)
{
	uint64_t waits = (change > 0 ? 20 : 10) + q, wakes = (change > 0 ? 10 : 20) + q;
	size_t top;

	lock(b, body, q);
	top = b->bodies[body].n;
	emit(b, body, (struct model_op){M_READ, .object = 8 * q});
	emit(b, body, (struct model_op){M_UNLESS, .value = until, .target = top + 4});
	emit(b, body, (struct model_op){M_COND_WAIT, .object = waits, .object2 = q});
	emit(b, body, (struct model_op){M_GOTO, .target = top});
	emit(b, body, (struct model_op){M_ADD, .value = change});
	emit(b, body, (struct model_op){M_STORE, .object = 8 * q});
	emit(b, body, (struct model_op){M_SIGNAL, .object = wakes});
	unlock(b, body, q);
}

/* Two producers and two consumers handle one item each. The buffer has room for one item. */
static const struct model_program *bounded_buffer(struct building *b)
{
	for (size_t i = 1; i <= 2; i++) {
		hand(b, i, 0, 1, 1);
		hand(b, i + 2, 0, 0, -1);
	}
	return finish(b, 4);
}

/* Two items go through four stages. Between the stages are three queues with room for one item each. */
static const struct model_program *pipeline(struct building *b)
{
	for (uint64_t stage = 1; stage <= 4; stage++)
		for (int item = 0; item < 2; item++) {
			if (stage > 1)
				hand(b, stage, stage - 1, 0, -1);
			if (stage < 4)
				hand(b, stage, stage, 1, 1);
		}
	return finish(b, 4);
}

/* Five threads, each of which takes three locks, one after the other, in an order of its own. */
static const struct model_program *three_locks(struct building *b)
{
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 3; k++) {
			uint64_t object = (i + (i % 2 ? k : 2 * k)) % 3;

			lock(b, i + 1, object);
			unlock(b, i + 1, object);
		}
	return finish(b, 5);
}

/* ---- counting ---- */

/* A policy that lets the policy `inner` choose, and hashes the partial order of what is executed. */
struct watch {
	const struct rfs_policy_ops *inner;
	void *state;
	struct rfs_order *order;
};

static int watch_init(void **out, const struct rfs_policy_args *args)
{
	struct watch *watch = args->blob->data;

	*out = watch;
	watch->order = rfs_order_new();
	return watch->inner->init(&watch->state, &(struct rfs_policy_args){.seed = args->seed});
}

static int watch_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct watch *watch = opaque;

	return watch->inner->pick(watch->state, view, out);
}

/* Model addresses are the same in each run, so they serve as names. */
static void watch_event(void *opaque, const struct rfs_event *event)
{
	const struct rfs_order_names names = {.thread = (uint64_t)event->thread + 1,
					      .object = event->op.object,
					      .object2 = event->op.object2,
					      .peer = (uint64_t)event->op.peer + 1};
	struct watch *watch = opaque;

	if (event->kind == RFS_EVENT_OP)
		rfs_order_add(watch->order, event->thread, &event->op, event->outcome, &names);
	if (watch->inner->event)
		watch->inner->event(watch->state, event);
}

static void watch_fini(void *opaque)
{
	struct watch *watch = opaque;

	watch->inner->fini(watch->state);
}

static const struct rfs_policy_ops watch_ops = {.abi = RFS_POLICY_ABI,
						.name = "watch",
						.summary = "hashes what ran",
						.init = watch_init,
						.pick = watch_pick,
						.event = watch_event,
						.fini = watch_fini};

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct rfs_order_hash));
}

static size_t distinct(const struct model_program *program, const char *policy, size_t runs)
{
	struct rfs_order_hash *hashes = calloc(runs, sizeof(*hashes));
	size_t n = 0;

	cr_assert_not_null(hashes);
	for (size_t i = 0; i < runs; i++) {
		struct watch watch = {.inner = rfs_policy_find(policy)};
		const struct rfs_blob blob = {&watch, sizeof(watch)};
		const struct model_config config = {.policy = &watch_ops, .blob = &blob, .seed = i + 1};
		struct model_result result;

		model_run(program, &config, &result);
		cr_assert_eq(result.end, MODEL_DONE, "%s, seed %zu: %d %s", policy, i + 1, result.end,
			     result.complaint);
		model_release(&result);
		hashes[i] = rfs_order_get(watch.order);
		rfs_order_free(watch.order);
	}
	qsort(hashes, runs, sizeof(*hashes), compare);
	for (size_t i = 0; i < runs; i++)
		n += i == 0 || compare(&hashes[i - 1], &hashes[i]) != 0;
	free(hashes);
	return n;
}

Test(distinct, rapos_has_1_4_times_the_orders_of_simple_random)
{
	static const struct {
		const char *name;
		const struct model_program *(*build)(struct building *b);
		size_t runs; /* as many as in the paper */
	} table[] = {{"collections", collections, 300},
		     {"philosophers", philosophers, 2000},
		     {"bounded buffer", bounded_buffer, 300},
		     {"pipeline", pipeline, 300}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		static struct building building;
		const struct model_program *program;
		size_t random, rapos;

		memset(&building, 0, sizeof(building));
		program = table[i].build(&building);
		random = distinct(program, "random", table[i].runs);
		rapos = distinct(program, "rapos", table[i].runs);
		cr_expect_geq((double)rapos, 1.4 * (double)random, "%s: %zu against %zu", table[i].name, rapos, random);
	}
}

Test(distinct, the_hash_finds_the_orders_there_are_and_no_more)
{
	static struct building building;
	const struct model_program *program = collections(&building);

	cr_expect_eq(distinct(program, "rapos", 10000), 144);
	cr_expect_eq(distinct(program, "pos", 10000), 144);
	cr_expect_leq(distinct(program, "random", 10000), 144); /* may miss some: rarely starts the last first */
}

Test(distinct, rapos_is_not_behind_random_on_sections)
{
	static struct building building;
	const struct model_program *program;
	size_t random, rapos;

	memset(&building, 0, sizeof(building));
	program = three_locks(&building);
	random = distinct(program, "random", 1000);
	rapos = distinct(program, "rapos", 1000);
	cr_log_info("five threads, three locks: %zu orders of rapos, %zu of random in 1000 runs", rapos, random);
	cr_expect_geq(rapos, random);
}
