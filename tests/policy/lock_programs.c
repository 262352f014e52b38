#include "tests/policy/lock_programs.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"
#include "policy/detect/lock_graph.h"
#include "policy/registry.h"

#define MUTEXES 3
#define LOCKS 5 /* the others are readers-writer locks */
#define RUNS 30

/* ---- random programs ---- */

struct lock_writer {
	struct model_op *ops;
	size_t n;
	struct rfs_rng *rng;
	unsigned held[LOCKS];
	size_t n_held;
};

static void put(struct lock_writer *w, struct model_op op)
{
	cr_assert_lt(w->n, LOCK_OPS);
	w->ops[w->n++] = op;
}

static void put_acquire(struct lock_writer *w)
{
	unsigned lock = (unsigned)rfs_rng_below(w->rng, LOCKS);
	bool shared = rfs_rng_chance(w->rng, 1, 2);

	for (size_t i = 0; i < w->n_held; i++)
		if (w->held[i] == lock)
			return;
	w->held[w->n_held++] = lock;
	put(w, (struct model_op){lock < MUTEXES ? M_LOCK : shared ? M_RDLOCK : M_WRLOCK, .object = lock});
}

static void put_release(struct lock_writer *w)
{
	size_t i = rfs_rng_below(w->rng, w->n_held);

	put(w, (struct model_op){w->held[i] < MUTEXES ? M_UNLOCK : M_RWUNLOCK, .object = w->held[i]});
	w->held[i] = w->held[--w->n_held];
}

static void put_some(struct lock_writer *w, size_t n)
{
	while (n-- > 0)
		if (w->n_held && (w->n_held == 3 || rfs_rng_chance(w->rng, 2, 5)))
			put_release(w);
		else
			put_acquire(w);
}

static void put_main(struct lock_writer *w)
{
	for (int k = 1; k < LOCK_BODIES; k++) {
		if (rfs_rng_chance(w->rng, 1, 2))
			put_some(w, 2);
		put(w, (struct model_op){M_CREATE, .reg = k, .value = k});
	}
	for (int k = 1; k < LOCK_BODIES; k++) {
		if (rfs_rng_chance(w->rng, 1, 3))
			put_some(w, 2);
		if (rfs_rng_chance(w->rng, 2, 3))
			put(w, (struct model_op){M_JOIN, .reg = k});
	}
}

void lock_program_generate(struct lock_program *out, uint64_t seed)
{
	struct rfs_rng rng;

	memset(out, 0, sizeof(*out));
	rfs_rng_init(&rng, seed);
	for (size_t k = 0; k < LOCK_BODIES; k++) {
		struct lock_writer w = {.ops = out->ops[k], .rng = &rng};

		if (k == 0)
			put_main(&w);
		else
			put_some(&w, 3 + rfs_rng_below(&rng, 7));
		while (w.n_held)
			put_release(&w);
		out->bodies[k] = (struct model_body){out->ops[k], w.n};
	}
	out->program = (struct model_program){out->bodies, LOCK_BODIES, 1};
}

/* ---- cycles ---- */

bool lock_cycles_have(const struct lock_cycles *cycles, const struct lock_cycle *cycle)
{
	for (size_t i = 0; i < cycles->n; i++)
		if (memcmp(&cycles->list[i], cycle, sizeof(*cycle)) == 0)
			return true;
	return false;
}

/* The thread of the cycle that holds the lock that this one wants. */
static int next_in(const struct lock_program *program, const struct lock_cycle *cycle, int thread)
{
	const uint64_t lock = program->ops[thread][cycle->wanted[thread]].object;

	int next = 0;

	while (cycle->wanted[next] < 0 || program->ops[next][cycle->held[next]].object != lock)
		next++;
	cr_assert_lt(next, LOCK_BODIES);
	return next;
}

size_t lock_cycle_parts(const struct lock_program *program, const struct lock_cycle *cycle,
			struct rfs_lock_cycle_part *out)
{
	int first = 0, thread;
	size_t n = 0;

	while (cycle->wanted[first] < 0)
		first++;
	thread = first;
	do {
		const int held = cycle->held[thread], wanted = cycle->wanted[thread];

		out[n++] = (struct rfs_lock_cycle_part){
			.thread = thread,
			.held = {.lock = MODEL_OBJECT_BASE + 64 * program->ops[thread][held].object,
				 .site = MODEL_SITE(thread, held)},
			.wanted = {.lock = MODEL_OBJECT_BASE + 64 * program->ops[thread][wanted].object,
				   .site = MODEL_SITE(thread, wanted)}};
		thread = next_in(program, cycle, thread);
	} while (thread != first);
	return n;
}

static void add_cycle(struct lock_cycles *cycles, const struct lock_cycle *cycle)
{
	if (lock_cycles_have(cycles, cycle))
		return;
	cr_assert_lt(cycles->n, LOCK_CYCLES);
	cycles->list[cycles->n++] = *cycle;
}

/* ---- all states ---- */

/* How many operations a thread has executed, plus 1; 0: it was not created. */
struct state {
	unsigned char at[LOCK_BODIES];
};

struct reach {
	const struct lock_program *program;
	struct lock_cycles *cycles;
	unsigned char seen[1 << 20]; /* by 5 bits for each thread */
};

static const struct model_op *op_of(const struct reach *r, const struct state *s, int thread)
{
	const struct model_body *body = &r->program->bodies[thread];

	return s->at[thread] && s->at[thread] - 1u < body->n ? &body->ops[s->at[thread] - 1] : NULL;
}

/* The index of the operation that acquired the lock that the thread holds in this state; -1: it does not hold it. */
static int holds(const struct reach *r, const struct state *s, int thread, uint64_t lock, bool *shared)
{
	int held = -1;

	for (int i = 0; i + 1 < s->at[thread]; i++) {
		const struct model_op *op = &r->program->bodies[thread].ops[i];

		if (op->code == M_CREATE || op->code == M_JOIN || op->object != lock)
			continue;
		held = op->code == M_UNLOCK || op->code == M_RWUNLOCK ? -1 : i;
		*shared = op->code == M_RDLOCK;
	}
	return held;
}

/* The index of the operation of `other` for whose lock the thread waits; -1: it does not wait for this thread. */
static int waits_for(const struct reach *r, const struct state *s, int thread, int other)
{
	const struct model_op *op = op_of(r, s, thread);
	bool shared = false;
	int held;

	if (!op || thread == other || (op->code != M_LOCK && op->code != M_RDLOCK && op->code != M_WRLOCK))
		return -1;
	held = holds(r, s, other, op->object, &shared);
	return held >= 0 && !(shared && op->code == M_RDLOCK) ? held : -1;
}

static bool can_run(const struct reach *r, const struct state *s, int thread)
{
	const struct model_op *op = op_of(r, s, thread);

	if (!op)
		return false;
	if (op->code == M_JOIN)
		return s->at[op->reg] - 1u == r->program->bodies[op->reg].n;
	for (int other = 0; other < LOCK_BODIES; other++)
		if (waits_for(r, s, thread, other) >= 0)
			return false;
	return true;
}

/* Makes the path of waiting threads longer until it comes back to its first thread, which has the least number. */
static void find_cycles(struct reach *r, const struct state *s, int first, int last, struct lock_cycle *cycle)
{
	for (int next = first; next < LOCK_BODIES; next++) {
		int held = waits_for(r, s, last, next);

		if (held < 0 || (next != first && cycle->wanted[next] >= 0))
			continue;
		cycle->held[next] = held;
		cycle->wanted[last] = s->at[last] - 1;
		if (next == first)
			add_cycle(r->cycles, cycle);
		else
			find_cycles(r, s, first, next, cycle);
		cycle->held[next] = -1;
		cycle->wanted[last] = -1;
	}
}

static void visit(struct reach *r, struct state s)
{
	unsigned number = 0;

	for (int i = 0; i < LOCK_BODIES; i++)
		number = number << 5 | s.at[i];
	if (r->seen[number])
		return;
	r->seen[number] = 1;
	for (int i = 0; i < LOCK_BODIES; i++) {
		struct lock_cycle cycle;

		memset(&cycle, -1, sizeof(cycle));
		find_cycles(r, &s, i, i, &cycle);
	}
	for (int i = 0; i < LOCK_BODIES; i++) {
		struct state next = s;
		const struct model_op *op = op_of(r, &s, i);

		if (!can_run(r, &s, i))
			continue;
		next.at[i]++;
		if (op->code == M_CREATE)
			next.at[op->value] = 1;
		visit(r, next);
	}
}

void lock_program_reach(const struct lock_program *program, struct lock_cycles *out)
{
	struct reach *r = calloc(1, sizeof(*r));

	cr_assert(r);
	r->program = program;
	r->cycles = out;
	out->n = 0;
	visit(r, (struct state){{1}});
	free(r);
}

/* ---- prediction ---- */

static struct lock_cycles *predicted; /* where the detector's report goes; each test has its own process */

static void take_cycle(void *arg, const struct rfs_lock_cycle_part *parts, size_t n)
{
	struct lock_cycle cycle;

	(void)arg;
	memset(&cycle, -1, sizeof(cycle));
	for (size_t i = 0; i < n; i++) {
		cycle.held[parts[i].thread] = (int)(parts[i].held.site & UINT32_MAX);
		cycle.wanted[parts[i].thread] = (int)(parts[i].wanted.site & UINT32_MAX);
	}
	add_cycle(predicted, &cycle);
}

static int detector_init(void **state, const struct rfs_policy_args *args)
{
	(void)args;
	*state = rfs_lock_graph_new();
	return 0;
}

static void detector_event(void *state, const struct rfs_event *event)
{
	if (event->kind == RFS_EVENT_ACQUIRE)
		rfs_lock_graph_acquire(state, event->thread,
				       &(struct rfs_lock_request){.lock = event->op.object,
								  .site = event->op.site,
								  .how = event->op.access});
	else if (event->kind == RFS_EVENT_RELEASE)
		rfs_lock_graph_release(state, event->thread, event->op.object);
	else
		rfs_lock_graph_event(state, event);
}

static void detector_report(void *state,
			    void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
			    void *arg)
{
	(void)emit;
	cr_assert(rfs_lock_graph_cycles(state, take_cycle, arg));
}

static void detector_fini(void *state)
{
	rfs_lock_graph_free(state);
}

static const struct rfs_detector_ops detector = {
	.abi = RFS_POLICY_ABI,
	.name = "locks",
	.summary = "predicts deadlocks",
	.init = detector_init,
	.event = detector_event,
	.report = detector_report,
	.fini = detector_fini,
};

bool lock_program_predict(const struct lock_program *program, uint64_t seed, struct lock_cycles *out)
{
	predicted = out;
	for (uint64_t i = 0; i < RUNS; i++) {
		const struct model_config config = {
			.policy = rfs_policy_find("random"), .seed = seed * RUNS + i, .detectors = {&detector}};
		struct model_result result;
		enum model_end end;

		out->n = 0;
		model_run(&program->program, &config, &result);
		end = result.end;
		model_release(&result);
		cr_assert_neq(end, MODEL_BAD_CHOICE);
		if (end == MODEL_DONE)
			return true;
	}
	return false;
}
