/*
 * racefuzzer.c - creates one predicted race on purpose (Sen, Race Directed Random Testing of Concurrent Programs, PLDI
 * 2008, algorithms 1 and 2).
 *
 * Threads are picked at random, but one that is parked before a statement of the pair is postponed there, until another
 * thread is parked before the other statement, at memory that overlaps, one of them writing: the race is created. A
 * fair coin resolves it: either the thread picked executes, or it is postponed and all that it races with execute.
 *
 * Where this differs from the printed algorithm:
 *
 *  - Line 21 takes a random thread out of `postponed` when all enabled threads are in it. Picked again, that thread is
 *    still parked at its statement and is postponed again: the loop never ends. Here it executes its statement.
 *  - Livelock (section 4 of the paper uses a monitor thread and wall-clock time): a thread postponed for more than
 *    `patience` visible operations is let go. It executes its statement when picked next, if no race is possible then.
 *  - A thread that spins on a value is blocked by rfsup, not by the program: it is always parked before its read. So it
 *    counts as postponed there. It cannot be executed, so a race with such threads alone is resolved one way only.
 *  - Sleeping threads come after the release of postponed ones: time advances only if no thread can run otherwise.
 *
 * Invariant: no two postponed threads race with each other. A thread is postponed only when it races with no postponed
 * one (or when those execute), and none of them moves without leaving the set.
 *
 * A read-modify-write without lock prefix is two operations at one site, and so is each part of a range access. With
 * the pair (a, a) on `x++`, two threads before their read halves do not race; the release lets one continue to its
 * write half, which races with the read of the other: writing first keeps both updates, reading first loses one.
 *
 * Draws (part of the record format, rng.h), in order, at each pick except those that continue with R: a chance for each
 * sleeping thread (candidates.h), the candidate, with skip > 0 the chance to skip, and, if that one is postponed, the
 * next candidate, and so on; if no candidate is left, the thread to let go; if a race is created, the coin; last, what
 * rfs_candidates_choose() draws. Options change nothing before the coin of race `flip` is drawn:
 *
 *  patience=N   postponed for more than N operations is livelock (default 10000)
 *  flip=K       race K (the first is 0) is resolved the other way
 *  continue=C   from that coin on, draws come from stream C of the seed; 0 (default) continues with the same stream
 *  skip=P       a thread at a statement that races with no other is postponed with a chance of only 100 - P percent
 *               (default 0: always). Without this, a statement that is reached only after the other one was executed is
 *               never reached: the first thread stays postponed until all others have ended or wait for it. Both
 *               statements on x in figure 1 of the paper are such. For pairs that earlier runs could not create.
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/core/op.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"
#include "policy/samplers/candidates.h"

/*
 * Long enough for a partner that acquires a few thousand locks before its statement. If all other threads spin because
 * of a postponed thread, this costs only 40 ms each time (4 us for a stop).
 */
#define DEFAULT_PATIENCE 10000

enum hold {
	HOLD_FREE,
	HOLD_POSTPONED, /* in the paper's `postponed` */
	HOLD_LET_GO,	/* livelock: not postponed again before this operation has run */
	HOLD_RESOLVED,	/* in R of the race resolved last: executes before anything else */
};

/* The state of one thread; valid only while it is parked before op. */
struct fuzzed_thread {
	enum hold hold;
	uint64_t since; /* view->step when it was postponed */
	struct rfs_op op;
};

struct racefuzzer {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick, kept for its memory; so is racing */
	struct rfs_candidates racing;
	struct fuzzed_thread *threads; /* by thread number */
	size_t capacity;
	size_t n_resolved; /* threads in HOLD_RESOLVED */

	uint64_t seed, patience, flip, stream, skip;
	bool flips;

	uint64_t n_postponed, n_races, n_releases, n_livelocks;
};

static int racefuzzer_init(void **out, const struct rfs_policy_args *args)
{
	struct racefuzzer settings = {.seed = args->seed, .patience = DEFAULT_PATIENCE}, *fuzzer;
	const struct rfs_policy_option options[] = {
		{"patience", &settings.patience, NULL},
		{"flip", &settings.flip, &settings.flips},
		{"continue", &settings.stream, NULL},
		{"skip", &settings.skip, NULL},
	};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (err)
		return err;
	if (settings.stream && !settings.flips)
		return -EINVAL; /* the first operation to count from is unknown */
	if (settings.skip > 100)
		return -EINVAL;
	fuzzer = rfs_policy_zalloc(1, sizeof(*fuzzer));
	*fuzzer = settings;
	rfs_rng_init(&fuzzer->rng, args->seed);
	*out = fuzzer;
	return 0;
}

static bool same_op(const struct rfs_op *a, const struct rfs_op *b)
{
	return a->kind == b->kind && a->site == b->site && a->object == b->object && a->size == b->size &&
	       a->access == b->access;
}

static struct fuzzed_thread *state_of(struct racefuzzer *fuzzer, const struct rfs_thread_view *thread)
{
	return &fuzzer->threads[thread->thread];
}

static void set_hold(struct racefuzzer *fuzzer, struct fuzzed_thread *state, enum hold hold)
{
	fuzzer->n_resolved -= state->hold == HOLD_RESOLVED;
	fuzzer->n_resolved += hold == HOLD_RESOLVED;
	state->hold = hold;
}

static void postpone(struct racefuzzer *fuzzer, const struct rfs_view *view, const struct rfs_thread_view *thread)
{
	struct fuzzed_thread *state = state_of(fuzzer, thread);

	set_hold(fuzzer, state, HOLD_POSTPONED);
	state->since = view->step;
	state->op = thread->next;
	fuzzer->n_postponed++;
}

/*
 * Before each pick: forgets threads that moved without us (a signal handler, an end), and lets go those postponed for
 * too long.
 */
static void refresh(struct racefuzzer *fuzzer, const struct rfs_view *view)
{
	int last = view->threads[view->n_threads - 1].thread;

	fuzzer->threads = rfs_policy_grow(fuzzer->threads, &fuzzer->capacity, last + 1, sizeof(*fuzzer->threads));
	for (size_t i = 0; i < view->n_threads; i++) {
		struct fuzzed_thread *state = state_of(fuzzer, &view->threads[i]);

		if (state->hold == HOLD_FREE)
			continue;
		if (!same_op(&state->op, &view->threads[i].next)) {
			set_hold(fuzzer, state, HOLD_FREE);
		} else if (state->hold == HOLD_POSTPONED && view->step - state->since > fuzzer->patience) {
			set_hold(fuzzer, state, HOLD_LET_GO);
			fuzzer->n_livelocks++;
		}
	}
}

static bool at_statement(const struct rfs_thread_view *thread)
{
	return rfs_op_is_access(thread->next.kind) && thread->next.statements;
}

/* Parked at its statement because this policy postpones it. */
static bool held_at_statement(struct racefuzzer *fuzzer, const struct rfs_thread_view *thread)
{
	if (!at_statement(thread))
		return false;
	return state_of(fuzzer, thread)->hold == HOLD_POSTPONED ||
	       (thread->next.kind == RFS_OP_SPIN_READ && !(thread->flags & RFS_THREAD_ENABLED));
}

struct racing_with {
	struct racefuzzer *fuzzer;
	const struct rfs_thread_view *thread;
};

/* Algorithm 2 as a filter: is candidate in Racing(s, t, postponed)? */
static bool in_racing(void *arg, const struct rfs_thread_view *candidate)
{
	const struct racing_with *with = arg;

	return candidate != with->thread && held_at_statement(with->fuzzer, candidate) &&
	       rfs_ops_race(&with->thread->next, &candidate->next);
}

static bool can_move(const struct rfs_thread_view *thread)
{
	return rfs_candidate_class(thread) != RFS_CANDIDATE_NONE;
}

static bool is_not_postponed(void *fuzzer, const struct rfs_thread_view *thread)
{
	return state_of(fuzzer, thread)->hold != HOLD_POSTPONED;
}

static bool is_postponed(void *fuzzer, const struct rfs_thread_view *thread)
{
	return state_of(fuzzer, thread)->hold == HOLD_POSTPONED && can_move(thread);
}

static bool is_resolved(void *fuzzer, const struct rfs_thread_view *thread)
{
	return state_of(fuzzer, thread)->hold == HOLD_RESOLVED && can_move(thread);
}

static void racefuzzer_execute(struct racefuzzer *fuzzer, const struct rfs_view *view,
			       const struct rfs_thread_view *thread, struct rfs_choice *out)
{
	set_hold(fuzzer, state_of(fuzzer, thread), HOLD_FREE);
	rfs_candidates_choose(view, thread, &fuzzer->rng, out);
}

/* The next thread that a resolved race lets go first; false if no such thread can run. */
static bool execute_resolved(struct racefuzzer *fuzzer, const struct rfs_view *view, struct rfs_choice *out)
{
	if (fuzzer->n_resolved == 0)
		return false;
	rfs_candidates_all(&fuzzer->candidates, view, is_resolved, fuzzer);
	if (fuzzer->candidates.n == 0)
		return false;
	racefuzzer_execute(fuzzer, view, fuzzer->candidates.threads[0], out);
	return true;
}

/* t races with fuzzer->racing, which is not empty: tosses the coin. */
static void resolve(struct racefuzzer *fuzzer, const struct rfs_view *view, const struct rfs_thread_view *t,
		    struct rfs_choice *out)
{
	bool t_first = rfs_rng_chance(&fuzzer->rng, 1, 2);

	out->race[0] = t->thread;
	out->race[1] = fuzzer->racing.threads[0]->thread;
	if (fuzzer->flips && fuzzer->n_races == fuzzer->flip) {
		t_first = !t_first;
		if (fuzzer->stream)
			rfs_rng_init_stream(&fuzzer->rng, fuzzer->seed, fuzzer->stream);
	}
	fuzzer->n_races++;
	if (!t_first) {
		for (size_t i = 0; i < fuzzer->racing.n; i++) {
			if (is_postponed(fuzzer, fuzzer->racing.threads[i]))
				set_hold(fuzzer, state_of(fuzzer, fuzzer->racing.threads[i]), HOLD_RESOLVED);
		}
	}
	if (execute_resolved(fuzzer, view, out))
		postpone(fuzzer, view, t);
	else
		racefuzzer_execute(fuzzer, view, t, out);
}

/*
 * No awake candidate is left: those that yielded; else one of the postponed threads is let go; else time advances.
 */
static void refill(struct racefuzzer *fuzzer, const struct rfs_view *view)
{
	struct rfs_candidates *list = &fuzzer->candidates;

	rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, is_not_postponed, fuzzer);
	if (list->n)
		return;
	rfs_candidates_all(list, view, is_postponed, fuzzer);
	if (list->n) {
		list->threads[0] = list->threads[rfs_rng_below(&fuzzer->rng, list->n)];
		list->n = 1;
		set_hold(fuzzer, state_of(fuzzer, list->threads[0]), HOLD_LET_GO);
		fuzzer->n_releases++;
		return;
	}
	rfs_candidates_of_class(list, view, RFS_CANDIDATE_SLEEPING, is_not_postponed, fuzzer);
}

/*
 * For how many operations one thread is the only candidate: until a postponed one is let go, if it does not reach a
 * statement and nothing changes for the others. 0: there are others.
 */
static uint32_t single_for(struct racefuzzer *fuzzer, const struct rfs_view *view)
{
	uint64_t left = UINT32_MAX;
	size_t awake = 0;

	for (size_t i = 0; i < view->n_threads; i++) {
		const struct fuzzed_thread *state = state_of(fuzzer, &view->threads[i]);
		enum rfs_candidate_class class = rfs_candidate_class(&view->threads[i]);

		if (state->hold == HOLD_POSTPONED) {
			uint64_t released = state->since + fuzzer->patience - view->step;

			left = released < left ? released : left;
		} else if (class == RFS_CANDIDATE_SLEEPING) {
			return 0; /* it may become a candidate at each step */
		} else {
			awake += class == RFS_CANDIDATE_AWAKE;
		}
	}
	return awake == 1 && !fuzzer->n_resolved ? (uint32_t)left : 0;
}

static bool skips(struct racefuzzer *fuzzer)
{
	return fuzzer->skip && rfs_rng_chance(&fuzzer->rng, fuzzer->skip, 100);
}

/* One turn of the loop of algorithm 1 that ends with a thread executing; turns that only postpone are inside. */
static int racefuzzer_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct racefuzzer *fuzzer = opaque;
	struct rfs_candidates *list = &fuzzer->candidates;

	refresh(fuzzer, view);
	if (execute_resolved(fuzzer, view, out))
		return 0;
	rfs_candidates_awake(list, view, &fuzzer->rng, is_not_postponed, fuzzer);
	/* The loop ends: each turn but the last postpones a thread, and a thread that is let go is executed or its race
	 * resolved. */
	for (;;) {
		const struct rfs_thread_view *t;
		size_t i;

		if (list->n == 0)
			refill(fuzzer, view);
		if (list->n == 0)
			return -EINVAL; /* called although no thread can run */
		i = rfs_rng_below(&fuzzer->rng, list->n);
		t = list->threads[i];
		if (!at_statement(t)) {
			out->hint = single_for(fuzzer, view);
			out->steady = true;
		} else {
			struct racing_with with = {fuzzer, t};

			rfs_candidates_all(&fuzzer->racing, view, in_racing, &with);
			if (fuzzer->racing.n) {
				resolve(fuzzer, view, t, out);
				return 0;
			}
			if (state_of(fuzzer, t)->hold != HOLD_LET_GO && !skips(fuzzer)) {
				postpone(fuzzer, view, t);
				rfs_candidates_remove(list, i);
				continue;
			}
		}
		racefuzzer_execute(fuzzer, view, t, out);
		return 0;
	}
}

static void racefuzzer_stats(void *opaque, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	const struct racefuzzer *fuzzer = opaque;

	emit(arg, "postponed", fuzzer->n_postponed);
	emit(arg, rfs_policy_counter_key(RFS_COUNTER_RACES), fuzzer->n_races);
	emit(arg, "releases", fuzzer->n_releases);
	emit(arg, rfs_policy_counter_key(RFS_COUNTER_LIVELOCKS), fuzzer->n_livelocks);
}

static void racefuzzer_fini(void *opaque)
{
	struct racefuzzer *fuzzer = opaque;

	rfs_candidates_release(&fuzzer->candidates);
	rfs_candidates_release(&fuzzer->racing);
	free(fuzzer->threads);
	free(fuzzer);
}

const struct rfs_policy_ops rfs_policy_racefuzzer = {
	.abi = RFS_POLICY_ABI,
	.name = "racefuzzer",
	.summary = "creates the race of the pair under test (RaceFuzzer, PLDI 2008)",
	.flags = RFS_POLICY_NEEDS_PAIR | RFS_POLICY_SINGLE,
	.init = racefuzzer_init,
	.pick = racefuzzer_pick,
	.stats = racefuzzer_stats,
	.fini = racefuzzer_fini,
};
