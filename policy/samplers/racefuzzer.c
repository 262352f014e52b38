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
 *  - If all threads that run only look at memory or at the clock again and again (spinning.h), they may wait for a
 *    postponed thread. One of these is then let go, much earlier than after `patience`. This counts as a livelock too.
 *    Each livelock halves the next limits, down to a least one. Otherwise a postponed writer in a loop would make the
 *    run so long that it looks like a hang.
 *  - The paper keeps the loser of a race postponed. It then comes long after the winner, so an operation that must
 *    fall right behind the race never does: a signal between a waiter's look and its wait, for example. So how the run
 *    goes on after a race is drawn for each run (enum after).
 *  - A thread that spins on a value is always parked before its read, because rfsup blocks it. So it counts as
 *    postponed if the read is at a statement. It cannot execute, so a race only with such threads can be resolved one
 *    way only.
 *  - Time and postponed threads: in half of the runs, sleeping threads are drawn only after the postponed ones were let
 *    go. In the other half, time passes first, as far as --sleep-race allows (postponed_time.h). So a sleep between the
 *    statements does not hide the race. In these runs, a load driver or a client acts before that, too.
 *
 * Invariant: no two postponed threads race with each other. A thread is postponed only if it races with no postponed
 * thread, or if all threads that it races with execute now. And no thread in the set runs without leaving the set.
 *
 * A read-modify-write without lock prefix is two operations at one site. A range access is several operations at one
 * site, too. Take the pair (a, a) on `x++`: two threads before their read halves do not race. When one of them is let
 * go, it continues to its write half, which races with the read half of the other. If the write is first, both updates
 * survive. If the read is first, one is lost. A thread before such a read half is let go before others: its write half
 * then races with an ordinary read of the other thread too, which would be over if that thread went.
 *
 * Draws (part of the record format, rng.h). A pick that executes the next thread of a resolved race draws only the last
 * item. Any other pick draws, in this order:
 *
 *  1. if the threads that run only spin, the postponed thread to let go;
 *  2. a chance for each sleeping thread (candidates.h);
 *  3. the candidate; at a statement without a race, if skip > 0, the chance to skip. If this candidate is postponed,
 *     step 3 is repeated with the next one. After a race of a run with AFTER_WALK, the draws of a walk (walk.h)
 *     take the place of the candidate;
 *  4. if no candidate is left, the postponed thread to let go;
 *  5. if a race is created, the coin; with continue=C without last=1, how the run goes on;
 *  6. the draws of rfs_candidates_choose().
 *
 * Two draws come once, at init, from a separate stream (OWN_STREAM): how the run continues after a race, and whether
 * time passes before a postponed thread is let go.
 *
 * The coin chooses the side that goes first: a statement of the pair, or, if both threads are at the same statement,
 * the one that writes. Seeds 2n and 2n + 1 have opposite coins (antithetic draws). So of three runs with successive
 * seeds, at least one has each order of its first race. This matters because a failure often needs one of the two.
 *
 * Options flip, keep, continue and last change no draw before the coin of the race that flip or keep names.
 *
 *  patience=N   a thread postponed for more than N operations is let go, as a livelock (default 10000)
 *  flip=K       the coin of race K is turned over; the first race is 0
 *  keep=K       the coin of race K is not turned over: for continue and last, without flip
 *  continue=C   after that coin, draws come from stream C of the seed; 0 (default) keeps the stream
 *  last=1       that race is the last one; nothing else is postponed, and no thread is switched at a statement. With
 *               flip, the threads that go first run until they have left the statements, then the losers do. With keep,
 *               those that go first execute one operation, then the losers leave the statements, then the first ones.
 *               So in both cases all of them have come equally far before anything else is drawn. Only the order of
 *               their accesses differs, or that they overlap (a copy that is seen half done).
 *  after=A      how the run goes on after a race: 1 to 4, as in enum after; 0 (default): drawn
 *  wait=W       1: time passes before a postponed thread is let go; 2: it does not; 0 (default): drawn
 *  coin=C       the coin of the first race: 1: the thread at the first statement goes first, or, if both are at one
 *               statement, the one that writes; 2: the other one; 0 (default): drawn
 *  skip=P       a thread at a statement without a race is postponed only with probability 100 - P percent (default 0:
 *               always). For pairs that earlier runs could not create: if one statement is reached only after the other
 *               was executed, the postponed thread is the one that the other thread waits for. Both statements on x in
 *               figure 1 of the paper are such a pair.
 *  address=1    a thread at a statement without a race is postponed only if it accesses an address at which earlier
 *               runs saw the accesses of the pair meet (RFS_AT_ADDRESS). Two chunks of a loop meet at one element only:
 *               a thread that is postponed at another element is let go before the other thread gets there.
 *  again=1      a third way to resolve the first race: the thread that went first runs on to its next access of the
 *               place before the other one goes (rereads.h). Up to this race, a thread is postponed only at a place
 * that it has accessed at the pair before, no thread is switched that can go on, and the coin is for the one that was
 * not postponed. Draws no candidate then, except after STAYS picks of one thread.
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/choice/leave_pair.h"
#include "policy/choice/postponed_time.h"
#include "policy/choice/rereads.h"
#include "policy/choice/spinning.h"
#include "policy/choice/walk.h"
#include "policy/core/alloc.h"
#include "policy/core/op.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

/*
 * Long enough for the other thread to acquire a few thousand locks before its statement. If all other threads only spin
 * because of a postponed one, each such livelock costs 40 ms (4 us for a stop).
 */
#define DEFAULT_PATIENCE 10000

/* Livelocks do not halve the patience below this: after ten livelocks, a loop of 10,000 iterations that each postpone a
 * thread costs some 10 operations each. */
#define LEAST_PATIENCE 10

/* Far from the streams of option continue, which are counted from 1. */
#define OWN_STREAM UINT64_C(0x7261636566757a7a)
#define COIN_STREAM UINT64_C(0x7261636520636f69)

/* With option again: the number of picks after which a thread that polls lets others run. */
#define STAYS 100

/* What becomes of the loser of a race, the threads that do not go first. */
enum after {
	AFTER_DRAWN,
	AFTER_HELD,    /* stays postponed, as in the paper */
	AFTER_AT_ONCE, /* executes right behind the winner */
	AFTER_RANDOM,  /* is let go: it is drawn like any other thread */
	AFTER_WALK,    /* is let go, and threads are drawn as SURW does, in proportion to the operations that they have
			  left. Nobody knows these numbers here, so they are drawn too: threads differ in speed. */
	AFTER_COUNT
};

enum waits { WAITS_DRAWN, WAITS_YES, WAITS_NO, WAITS_COUNT };

enum hold {
	HOLD_FREE,
	HOLD_POSTPONED, /* in the paper's set `postponed` */
	HOLD_LET_GO,	/* let go; not postponed again before this operation has run */
	HOLD_RESOLVED,	/* the last coin chose it to go first; executes before anything else */
	HOLD_NEXT,	/* lost, and executes right after those that go first */
};

/* The state of one thread. hold is valid only while the thread is parked before op. */
struct fuzzed_thread {
	enum hold hold;
	uint64_t since; /* view->step when it was postponed */
	uint64_t until; /* the virtual time at which it is let go */
	struct rfs_op op;
};

struct racefuzzer {
	struct rfs_rng rng, coins;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory, like racing */
	struct rfs_candidates racing;
	struct fuzzed_thread *threads; /* by thread number */
	size_t capacity;
	size_t n_resolved; /* number of threads in HOLD_RESOLVED or HOLD_NEXT */
	struct rfs_spinning spinning;
	struct rfs_walk walk;

	uint64_t seed, patience, flip, stream, skip, address, last, coin, again;
	struct rfs_rereads rereads;    /* with option again */
	unsigned stayed;	       /* the same: for how many picks `current` has stayed */
	uint64_t after, waits;	       /* enum after, enum waits; never DRAWN after init */
	uint64_t spin_limit;	       /* sum of rfs_spinning */
	uint64_t until;		       /* valid during one pick: time may pass until then */
	bool flips, keeps;	       /* flip is the number of a race; keeps: its coin stays as it is */
	bool is_over;		       /* the race of option last is resolved */
	struct rfs_leave_pair leaving; /* if is_over: how the threads of that race go on */
	int current;		       /* the thread that has executed the last operation */
	struct rfs_time_passes passes;
	unsigned n_outside; /* how often the outside has acted */

	uint64_t n_postponed, n_races, n_releases, n_livelocks;
};

static uint64_t draw_after(struct rfs_rng *rng)
{
	return AFTER_HELD + rfs_rng_below(rng, AFTER_COUNT - AFTER_HELD);
}

static int racefuzzer_init(void **out, const struct rfs_policy_args *args)
{
	struct racefuzzer settings = {.seed = args->seed,
				      .patience = DEFAULT_PATIENCE,
				      .spin_limit = RFS_SPINNING_LIMIT},
			  *fuzzer;
	struct rfs_rng own;
	uint64_t after, waits, keep = 0;
	const struct rfs_policy_option options[] = {
		{"patience", &settings.patience, NULL}, {"flip", &settings.flip, &settings.flips},
		{"keep", &keep, &settings.keeps},	{"continue", &settings.stream, NULL},
		{"last", &settings.last, NULL},		{"skip", &settings.skip, NULL},
		{"address", &settings.address, NULL},	{"after", &settings.after, NULL},
		{"wait", &settings.waits, NULL},	{"coin", &settings.coin, NULL},
		{"again", &settings.again, NULL},
	};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (err)
		return err;
	if (settings.flips && settings.keeps)
		return -EINVAL;
	if ((settings.stream || settings.last) && !settings.flips && !settings.keeps)
		return -EINVAL; /* they begin with the coin of a race */
	if (settings.keeps)
		settings.flip = keep;
	if (settings.coin > 2 || settings.skip > 100 || settings.after >= AFTER_COUNT || settings.waits >= WAITS_COUNT)
		return -EINVAL;
	rfs_rng_init_stream(&own, args->seed, OWN_STREAM);
	after = draw_after(&own);
	waits = rfs_rng_chance(&own, 1, 2) ? WAITS_YES : WAITS_NO;
	if (settings.after == AFTER_DRAWN)
		settings.after = after;
	if (settings.waits == WAITS_DRAWN)
		settings.waits = waits;
	fuzzer = rfs_policy_zalloc(1, sizeof(*fuzzer));
	*fuzzer = settings;
	rfs_rng_init(&fuzzer->rng, args->seed);
	rfs_rng_init_stream(&fuzzer->coins, args->seed / 2, COIN_STREAM);
	*out = fuzzer;
	return 0;
}

static bool racefuzzer_same_op(const struct rfs_op *a, const struct rfs_op *b)
{
	return a->kind == b->kind && a->site == b->site && a->object == b->object && a->size == b->size &&
	       a->access == b->access;
}

static struct fuzzed_thread *fuzzed_state(struct racefuzzer *fuzzer, const struct rfs_thread_view *thread)
{
	return &fuzzer->threads[thread->thread];
}

static void set_fuzzed_hold(struct racefuzzer *fuzzer, struct fuzzed_thread *state, enum hold hold)
{
	fuzzer->n_resolved -= state->hold == HOLD_RESOLVED || state->hold == HOLD_NEXT;
	fuzzer->n_resolved += hold == HOLD_RESOLVED || hold == HOLD_NEXT;
	state->hold = hold;
}

static void set_postponed(struct racefuzzer *fuzzer, const struct rfs_view *view, const struct rfs_thread_view *thread)
{
	struct fuzzed_thread *state = fuzzed_state(fuzzer, thread);

	set_fuzzed_hold(fuzzer, state, HOLD_POSTPONED);
	state->since = view->step;
	state->until = rfs_postponed_until(view);
	if (state->until < fuzzer->until)
		fuzzer->until = state->until;
	state->op = thread->next;
	fuzzer->n_postponed++;
	rfs_spinning_restart(&fuzzer->spinning);
}

static void racefuzzer_count_livelock(struct racefuzzer *fuzzer)
{
	fuzzer->n_livelocks++;
	if (fuzzer->patience / 2 >= LEAST_PATIENCE)
		fuzzer->patience /= 2;
	fuzzer->spin_limit = rfs_spinning_next_limit(fuzzer->spin_limit);
	rfs_spinning_restart(&fuzzer->spinning);
}

static bool racefuzzer_can_move(const struct rfs_thread_view *thread)
{
	return rfs_candidate_class(thread) != RFS_CANDIDATE_NONE;
}

static bool racefuzzer_is_postponed(void *fuzzer, const struct rfs_thread_view *thread)
{
	return fuzzed_state(fuzzer, thread)->hold == HOLD_POSTPONED && racefuzzer_can_move(thread);
}

/*
 * Called before each pick. A thread that has run or ended without being picked (a signal handler) is no longer
 * postponed. A thread that was postponed for too long is let go.
 */
static void racefuzzer_refresh(struct racefuzzer *fuzzer, const struct rfs_view *view)
{
	int last = view->threads[view->n_threads - 1].thread;

	fuzzer->threads = rfs_policy_grow(fuzzer->threads, &fuzzer->capacity, last + 1, sizeof(*fuzzer->threads));
	fuzzer->until = RFS_ANY_TIME;
	for (size_t i = 0; i < view->n_threads; i++) {
		struct fuzzed_thread *state = fuzzed_state(fuzzer, &view->threads[i]);

		if (state->hold == HOLD_FREE)
			continue;
		if (!racefuzzer_same_op(&state->op, &view->threads[i].next)) {
			set_fuzzed_hold(fuzzer, state, HOLD_FREE);
		} else if (state->hold == HOLD_POSTPONED && view->step - state->since > fuzzer->patience) {
			set_fuzzed_hold(fuzzer, state, HOLD_LET_GO);
			racefuzzer_count_livelock(fuzzer);
		} else if (state->hold == HOLD_POSTPONED && view->time > state->until) {
			set_fuzzed_hold(fuzzer, state, HOLD_LET_GO);
			fuzzer->n_releases++;
		} else if (racefuzzer_is_postponed(fuzzer, &view->threads[i]) && state->until < fuzzer->until) {
			fuzzer->until = state->until;
		}
	}
	if (fuzzer->waits == WAITS_YES)
		fuzzer->until = rfs_postponed_paced(fuzzer->n_outside, view, fuzzer->until);
}

static void racefuzzer_event(void *opaque, const struct rfs_event *event)
{
	struct racefuzzer *fuzzer = opaque;

	if (event->kind != RFS_EVENT_OP)
		return;
	fuzzer->stayed = event->thread == fuzzer->current ? fuzzer->stayed + 1 : 0;
	fuzzer->current = event->thread;
	if (fuzzer->again)
		rfs_rereads_note(&fuzzer->rereads, event->thread, &event->op);
	rfs_spinning_note(&fuzzer->spinning, event->thread, &event->op);
}

/* Whether the thread is parked at a statement and kept there, by this policy or because it spins. */
static bool held_at_statement(struct racefuzzer *fuzzer, const struct rfs_thread_view *thread)
{
	if (!rfs_is_at_statement(thread))
		return false;
	return fuzzed_state(fuzzer, thread)->hold == HOLD_POSTPONED ||
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

/* Whether the thread may be drawn: it is not postponed, and does not sleep for longer than the postponed ones stay. */
static bool racefuzzer_is_not_postponed(void *opaque, const struct rfs_thread_view *thread)
{
	struct racefuzzer *fuzzer = opaque;

	return fuzzed_state(fuzzer, thread)->hold != HOLD_POSTPONED && rfs_is_due_by(thread, fuzzer->until);
}

static bool is_resolved(void *fuzzer, const struct rfs_thread_view *thread)
{
	return fuzzed_state(fuzzer, thread)->hold == HOLD_RESOLVED && racefuzzer_can_move(thread);
}

static bool is_next(void *fuzzer, const struct rfs_thread_view *thread)
{
	return fuzzed_state(fuzzer, thread)->hold == HOLD_NEXT && racefuzzer_can_move(thread);
}

static void racefuzzer_execute(struct racefuzzer *fuzzer, const struct rfs_view *view,
			       const struct rfs_thread_view *thread, struct rfs_choice *out)
{
	set_fuzzed_hold(fuzzer, fuzzed_state(fuzzer, thread), HOLD_FREE);
	rfs_candidates_choose(&fuzzer->candidates, view, thread, &fuzzer->rng, out);
}

/* Executes the next thread that a resolved race lets go first, or right after. False if no such thread can run. */
static bool execute_resolved(struct racefuzzer *fuzzer, const struct rfs_view *view, struct rfs_choice *out)
{
	if (fuzzer->n_resolved == 0)
		return false;
	rfs_candidates_all(&fuzzer->candidates, view, is_resolved, fuzzer);
	if (fuzzer->candidates.n == 0)
		rfs_candidates_all(&fuzzer->candidates, view, is_next, fuzzer);
	if (fuzzer->candidates.n == 0)
		return false;
	racefuzzer_execute(fuzzer, view, fuzzer->candidates.threads[0], out);
	return true;
}

/* What becomes of a thread that lost a race, and is parked before its operation. */
static void lose(struct racefuzzer *fuzzer, const struct rfs_view *view, const struct rfs_thread_view *loser)
{
	static const enum hold holds[AFTER_COUNT] = {
		[AFTER_HELD] = HOLD_POSTPONED,
		[AFTER_AT_ONCE] = HOLD_NEXT,
		[AFTER_RANDOM] = HOLD_LET_GO,
		[AFTER_WALK] = HOLD_LET_GO,
	};
	struct fuzzed_thread *state = fuzzed_state(fuzzer, loser);

	if (state->hold != HOLD_POSTPONED)
		set_postponed(fuzzer, view, loser);
	set_fuzzed_hold(fuzzer, state, holds[fuzzer->after]);
}

/* Adds turns of t, or of the threads that race with it. */
static void add_side(struct racefuzzer *fuzzer, const struct rfs_thread_view *t, bool t_side, uint64_t most)
{
	if (t_side)
		rfs_leave_pair_add(&fuzzer->leaving, t->thread, most);
	for (size_t i = 0; i < fuzzer->racing.n && !t_side; i++)
		rfs_leave_pair_add(&fuzzer->leaving, fuzzer->racing.threads[i]->thread, most);
}

/* Executes a thread that stays the current one after the race of option last. False if there is something to draw. */
static bool stays(struct racefuzzer *fuzzer, const struct rfs_view *view, struct rfs_choice *out)
{
	const struct rfs_thread_view *t = NULL;

	if (fuzzer->is_over)
		t = rfs_leave_pair_next(&fuzzer->leaving, view, fuzzer->current, fuzzer->patience);
	if (t)
		racefuzzer_execute(fuzzer, view, t, out);
	return t != NULL;
}

/* Resolves the race of option last. Its threads leave the statements, and no thread is postponed any more. */
static void resolve_last(struct racefuzzer *fuzzer, const struct rfs_view *view, const struct rfs_thread_view *t,
			 bool t_first, struct rfs_choice *out)
{
	fuzzer->is_over = true;
	for (size_t i = 0; i < view->n_threads; i++)
		if (fuzzed_state(fuzzer, &view->threads[i])->hold == HOLD_POSTPONED)
			set_fuzzed_hold(fuzzer, fuzzed_state(fuzzer, &view->threads[i]), HOLD_LET_GO);
	add_side(fuzzer, t, t_first, fuzzer->keeps ? 1 : fuzzer->patience);
	add_side(fuzzer, t, !t_first, fuzzer->patience);
	if (fuzzer->keeps)
		add_side(fuzzer, t, t_first, fuzzer->patience);
	if (!stays(fuzzer, view, out))
		racefuzzer_execute(fuzzer, view, t, out);
}

/* The coin of a race: whether t goes before the other thread. */
static bool toss(struct racefuzzer *fuzzer, const struct rfs_thread_view *t, const struct rfs_thread_view *other)
{
	bool coin = rfs_rng_chance(&fuzzer->coins, 1, 2) ^ (fuzzer->seed & 1);

	if (fuzzer->again && fuzzer->n_races == 0)
		return true;
	if (fuzzer->coin && fuzzer->n_races == 0)
		coin = fuzzer->coin == 1;
	if (t->next.statements != other->next.statements)
		return (t->next.statements < other->next.statements) == coin;
	return t->next.access & RFS_ACCESS_WRITE ? coin : !coin;
}

/* Tosses the coin: t races with the threads in fuzzer->racing, of which there is at least one. */
static void racefuzzer_resolve(struct racefuzzer *fuzzer, const struct rfs_view *view, const struct rfs_thread_view *t,
			       struct rfs_choice *out)
{
	bool t_first = toss(fuzzer, t, fuzzer->racing.threads[0]), branches;

	out->race[0] = t->thread;
	out->race[1] = fuzzer->racing.threads[0]->thread;
	branches = (fuzzer->flips || fuzzer->keeps) && fuzzer->n_races == fuzzer->flip;
	fuzzer->n_races++;
	if (branches) {
		t_first ^= fuzzer->flips;
		if (fuzzer->stream) {
			rfs_rng_init_stream(&fuzzer->rng, fuzzer->seed, fuzzer->stream);
			rfs_rng_init_stream(&fuzzer->coins, fuzzer->seed, COIN_STREAM + fuzzer->stream);
		}
		if (fuzzer->last) {
			resolve_last(fuzzer, view, t, t_first, out);
			return;
		}
		if (fuzzer->stream)
			fuzzer->after = draw_after(&fuzzer->rng);
	}
	for (size_t i = 0; i < fuzzer->racing.n; i++) {
		if (!racefuzzer_is_postponed(fuzzer, fuzzer->racing.threads[i]))
			continue; /* spins: cannot execute */
		if (t_first)
			lose(fuzzer, view, fuzzer->racing.threads[i]);
		else
			set_fuzzed_hold(fuzzer, fuzzed_state(fuzzer, fuzzer->racing.threads[i]), HOLD_RESOLVED);
	}
	if (!t_first && execute_resolved(fuzzer, view, out))
		lose(fuzzer, view, t);
	else
		racefuzzer_execute(fuzzer, view, t, out);
}

/* Makes one of the postponed threads that can run the only candidate, and lets it go. False if there are none. */
static bool racefuzzer_let_go(struct racefuzzer *fuzzer, const struct rfs_view *view)
{
	struct rfs_candidates *list = &fuzzer->candidates;

	rfs_candidates_all(list, view, racefuzzer_is_postponed, fuzzer);
	if (list->n == 0)
		return false;
	rfs_candidates_keep_halves(list, view);
	list->threads[0] = list->threads[rfs_rng_below(&fuzzer->rng, list->n)];
	list->n = 1;
	set_fuzzed_hold(fuzzer, fuzzed_state(fuzzer, list->threads[0]), HOLD_LET_GO);
	return true;
}

/* Makes the sleeping threads candidates, or lets time pass until some are. True if time passes. */
static bool fuzzer_lets_pass(struct racefuzzer *fuzzer, const struct rfs_view *view, struct rfs_choice *out)
{
	rfs_candidates_of_class(&fuzzer->candidates, view, RFS_CANDIDATE_SLEEPING, racefuzzer_is_not_postponed, fuzzer);
	return fuzzer->candidates.n == 0 && rfs_candidates_pass_time(&fuzzer->passes, view, fuzzer->until, out);
}

static bool any_postponed(struct racefuzzer *fuzzer, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		if (racefuzzer_is_postponed(fuzzer, &view->threads[i]))
			return true;
	}
	return false;
}

/*
 * Called if no awake candidate is left. Takes the yielded threads. If there are none, takes the sleeping threads, or
 * lets one postponed thread go. Which of the two comes first depends on the run. True if time or the outside goes on.
 */
static bool refill_fuzzed(struct racefuzzer *fuzzer, const struct rfs_view *view, struct rfs_choice *out)
{
	struct rfs_candidates *list = &fuzzer->candidates;

	rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, racefuzzer_is_not_postponed, fuzzer);
	if (list->n)
		return false;
	if (fuzzer->waits == WAITS_YES && any_postponed(fuzzer, view)) {
		if (rfs_postponed_let_outside_act(&fuzzer->n_outside, view, out) || fuzzer_lets_pass(fuzzer, view, out))
			return true;
		if (list->n)
			return false;
	}
	if (racefuzzer_let_go(fuzzer, view)) {
		fuzzer->n_releases++;
		return false;
	}
	rfs_candidates_of_class(list, view, RFS_CANDIDATE_SLEEPING, racefuzzer_is_not_postponed, fuzzer);
	return false;
}

/* The threads that run only spin. They may wait for one that sleeps or is postponed. True as in refill_fuzzed(). */
static bool racefuzzer_end_spinning(struct racefuzzer *fuzzer, const struct rfs_view *view, struct rfs_choice *out)
{
	fuzzer->candidates.n = 0;
	if (!any_postponed(fuzzer, view)) {
		rfs_spinning_restart(&fuzzer->spinning);
		return false;
	}
	if (fuzzer->waits == WAITS_YES && rfs_postponed_let_outside_act(&fuzzer->n_outside, view, out)) {
		fuzzer->spinning.sum = 0;
		return true;
	}
	/* if they sleep already, more time does not help */
	if (fuzzer->waits == WAITS_YES && !fuzzer->spinning.slept) {
		bool passes = fuzzer_lets_pass(fuzzer, view, out);

		fuzzer->spinning.sum = 0;
		if (passes || fuzzer->candidates.n)
			return passes;
	}
	(void)racefuzzer_let_go(fuzzer, view);
	racefuzzer_count_livelock(fuzzer);
	return false;
}

static size_t racefuzzer_draw_candidate(struct racefuzzer *fuzzer)
{
	if (fuzzer->after == AFTER_WALK && fuzzer->n_races && !fuzzer->is_over)
		return rfs_walk_draw(&fuzzer->walk, &fuzzer->candidates, &fuzzer->rng);
	for (size_t i = 0; fuzzer->again && !fuzzer->n_races && fuzzer->stayed < STAYS && i < fuzzer->candidates.n; i++)
		if (fuzzer->candidates.threads[i]->thread == fuzzer->current)
			return i;
	fuzzer->stayed = 0;
	return rfs_rng_below(&fuzzer->rng, fuzzer->candidates.n);
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
		const struct fuzzed_thread *state = fuzzed_state(fuzzer, &view->threads[i]);
		enum rfs_candidate_class class = rfs_candidate_class(&view->threads[i]);

		if (state->hold == HOLD_POSTPONED) {
			uint64_t released = state->since + fuzzer->patience - view->step;
			uint64_t spins = rfs_spinning_left(&fuzzer->spinning, fuzzer->spin_limit);

			left = released < left ? released : left;
			left = spins <= left ? spins - 1 : left;
		} else if (class == RFS_CANDIDATE_SLEEPING) {
			return 0; /* it has a new chance to be a candidate at each pick */
		} else if (rfs_candidates_goes_on(&fuzzer->candidates, view->threads[i].thread)) {
			return 0; /* each pick draws whether it still does */
		} else {
			awake += class == RFS_CANDIDATE_AWAKE;
		}
	}
	return awake == 1 && !fuzzer->n_resolved ? (uint32_t)left : 0;
}

static bool skips(struct racefuzzer *fuzzer, const struct rfs_thread_view *thread)
{
	if (fuzzer->address && !(thread->next.statements & RFS_AT_ADDRESS))
		return true;
	if (fuzzer->again && !fuzzer->n_races && !rfs_rereads_is_back(&fuzzer->rereads, thread))
		return true;
	return fuzzer->skip && rfs_rng_chance(&fuzzer->rng, fuzzer->skip, 100);
}

/* One or more turns of the loop of algorithm 1: turns that only postpone a thread, then one in which a thread
 * executes. */
static int racefuzzer_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct racefuzzer *fuzzer = opaque;
	struct rfs_candidates *list = &fuzzer->candidates;

	racefuzzer_refresh(fuzzer, view);
	if (execute_resolved(fuzzer, view, out) || stays(fuzzer, view, out))
		return 0;
	list->n = 0;
	if (fuzzer->spinning.sum >= fuzzer->spin_limit && racefuzzer_end_spinning(fuzzer, view, out))
		return 0;
	if (list->n == 0)
		rfs_candidates_awake(list, view, &fuzzer->rng, racefuzzer_is_not_postponed, fuzzer);
	/* The loop ends, because each turn except the last postpones a thread. A thread that is let go executes or its
	 * race is resolved. */
	for (;;) {
		const struct rfs_thread_view *t;
		size_t i;

		if (list->n == 0 && refill_fuzzed(fuzzer, view, out))
			return 0;
		if (list->n == 0)
			return -EINVAL; /* no thread can run: the caller must not call pick then */
		i = racefuzzer_draw_candidate(fuzzer);
		t = list->threads[i];
		if (fuzzer->is_over) {
			/* an operation like any other */
		} else if (!rfs_is_at_statement(t)) {
			out->hint = single_for(fuzzer, view);
			out->steady = true;
		} else {
			struct racing_with with = {fuzzer, t};

			rfs_candidates_all(&fuzzer->racing, view, in_racing, &with);
			if (fuzzer->racing.n) {
				racefuzzer_resolve(fuzzer, view, t, out);
				return 0;
			}
			if (fuzzed_state(fuzzer, t)->hold != HOLD_LET_GO && !skips(fuzzer, t)) {
				set_postponed(fuzzer, view, t);
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
	rfs_leave_pair_release(&fuzzer->leaving);
	rfs_walk_release(&fuzzer->walk);
	free(fuzzer);
}

const struct rfs_policy_ops rfs_policy_racefuzzer = {
	.abi = RFS_POLICY_ABI,
	.name = "racefuzzer",
	.summary = "creates the race of the pair under test (RaceFuzzer, PLDI 2008)",
	.flags = RFS_POLICY_NEEDS_PAIR | RFS_POLICY_SINGLE,
	.init = racefuzzer_init,
	.pick = racefuzzer_pick,
	.event = racefuzzer_event,
	.stats = racefuzzer_stats,
	.fini = racefuzzer_fini,
};
