/*
 * racefuzzer.c - creates one predicted race on purpose (Sen, Race Directed Random Testing of Concurrent Programs, PLDI
 * 2008, algorithms 1 and 2).
 *
 * Threads are picked at random. A picked thread that is parked before a statement of the pair is postponed: it stays
 * there until another thread is picked before the other statement. If both access overlapping memory and at least one
 * writes, the race is created. A fair coin resolves it: either the thread just picked executes, or it is postponed and
 * all threads that it races with execute.
 *
 * Where this differs from the printed algorithm:
 *
 *  - Line 21 takes a random thread out of `postponed` when all enabled threads are in it. In the paper, this thread is
 *    still at its statement when it is picked again, is postponed again, and the loop never ends. Here it executes its
 *    statement.
 *  - Livelock: a thread that was postponed for more than `patience` visible operations is let go. It executes its
 *    statement when it is picked next, unless a race is possible then. (Section 4 of the paper uses a monitor thread
 *    and real time.)
 *  - A thread that spins on a value is always parked before its read, because rfsup blocks it. So it counts as
 *    postponed if the read is at a statement. It cannot execute, so a race only with such threads can be resolved one
 *    way only.
 *  - Sleeping threads are drawn only after the postponed ones were let go: time advances only if no other thread can
 *    run.
 *
 * Invariant: no two postponed threads race with each other. A thread is postponed only if it races with no postponed
 * thread, or if all threads that it races with execute now. And no thread in the set runs without leaving the set.
 *
 * A read-modify-write without lock prefix is two operations at one site. A range access is several operations at one
 * site, too. Take the pair (a, a) on `x++`: two threads before their read halves do not race. When one of them is let
 * go, it continues to its write half, which races with the read half of the other. If the write is first, both updates
 * survive. If the read is first, one is lost.
 *
 * Draws (part of the record format, rng.h). A pick that executes the next thread of a resolved race draws only the last
 * item. Any other pick draws, in this order:
 *
 *  1. a chance for each sleeping thread (candidates.h);
 *  2. the candidate; at a statement without a race, if skip > 0, the chance to skip. If this candidate is postponed,
 *     step 2 is repeated with the next one;
 *  3. if no candidate is left, the postponed thread to let go;
 *  4. if a race is created, the coin;
 *  5. the draws of rfs_candidates_choose().
 *
 * Options flip and continue change no draw before the coin of race `flip`.
 *
 *  patience=N   a thread postponed for more than N operations is let go, as a livelock (default 10000)
 *  flip=K       the coin of race K is turned over; the first race is 0
 *  continue=C   after that coin, draws come from stream C of the seed; 0 (default) keeps the stream
 *  skip=P       a thread at a statement without a race is postponed only with probability 100 - P percent (default 0:
 *               always). For pairs that earlier runs could not create: if one statement is reached only after the other
 *               was executed, the postponed thread is the one that the other thread waits for. Both statements on x in
 *               figure 1 of the paper are such a pair.
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
 * Long enough for the other thread to acquire a few thousand locks before its statement. If all other threads only spin
 * because of a postponed one, each such livelock costs 40 ms (4 us for a stop).
 */
#define DEFAULT_PATIENCE 10000

enum hold {
	HOLD_FREE,
	HOLD_POSTPONED, /* in the paper's set `postponed` */
	HOLD_LET_GO,	/* let go; not postponed again before this operation has run */
	HOLD_RESOLVED,	/* the last coin chose it to go first; executes before anything else */
};

/* The state of one thread. hold is valid only while the thread is parked before op. */
struct fuzzed_thread {
	enum hold hold;
	uint64_t since; /* view->step when it was postponed */
	struct rfs_op op;
};

struct racefuzzer {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory, like racing */
	struct rfs_candidates racing;
	struct fuzzed_thread *threads; /* by thread number */
	size_t capacity;
	size_t n_resolved; /* number of threads in HOLD_RESOLVED */

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
		return -EINVAL; /* continue=C needs the coin of flip=K as its start */
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
 * Called before each pick. A thread that has run or ended without being picked (a signal handler) is no longer
 * postponed. A thread that was postponed for too long is let go.
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

/* Whether the thread is parked at a statement and kept there, by this policy or because it spins. */
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

/* Algorithm 2 as a filter: whether candidate is in Racing(s, t, postponed). */
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

/* Executes the next thread that a resolved race lets go first. False if no such thread can run. */
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

/* Tosses the coin: t races with the threads in fuzzer->racing, of which there is at least one. */
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
 * Called if no awake candidate is left. Takes the yielded threads. If there are none, lets one postponed thread go. If
 * there are none either, takes the sleeping threads, so that time advances.
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
 * For how many operations the only awake thread remains the only candidate, if it does not reach a statement and the
 * other threads do not change. After that, a postponed thread is let go. 0: there are other candidates.
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
			return 0; /* it has a new chance to be a candidate at each pick */
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

/* One or more turns of the loop of algorithm 1: turns that only postpone a thread, then one in which a thread
 * executes. */
static int racefuzzer_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct racefuzzer *fuzzer = opaque;
	struct rfs_candidates *list = &fuzzer->candidates;

	refresh(fuzzer, view);
	if (execute_resolved(fuzzer, view, out))
		return 0;
	rfs_candidates_awake(list, view, &fuzzer->rng, is_not_postponed, fuzzer);
	/* The loop ends, because each turn except the last postpones a thread. A thread that is let go executes or its
	 * race is resolved. */
	for (;;) {
		const struct rfs_thread_view *t;
		size_t i;

		if (list->n == 0)
			refill(fuzzer, view);
		if (list->n == 0)
			return -EINVAL; /* no thread can run: the caller must not call pick then */
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
