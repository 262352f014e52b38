/*
 * drfinder.c - reverses the order of critical sections, so that races hidden by it are found (Cai & Cao, Effective and
 * Precise Dynamic Detection of Hidden Races for Java Programs, FSE 2015, algorithms 1 to 3).
 *
 * A detector of the happens-before relation misses a race whose two accesses a lock's release and acquire put in order
 * by accident. So if thread t requests a lock of class c, and another thread is in a function that may trigger an
 * acquisition of class c (maytrigger.h), t waits, and one such thread, drawn at random, is escorted: it alone moves
 * until it has acquired a lock of the class. Then t continues. The relations come from the runs before: at each
 * acquisition, from the innermost `depth` functions on the stack. The first run knows none and is simple random.
 *
 * Terms: a lock's class corresponds to the type of Java's lock object (rfs_thread_view.lock_class); a method is a
 * function; the current method is the innermost one outside the C and C++ libraries, for a thread that has not started,
 * its start routine (rfs_view.function).
 *
 * Where this differs from the printed algorithm 3:
 *
 *  - the thread that continues when all enabled threads wait (thrashing) is drawn from the waiting ones (line 33),
 *    continues with its own request (line 43), and leaves the set only after that was read (line 53);
 *  - an escort also ends when the escorted thread cannot move, yields, sleeps or ends; and, like a wait, after
 *    `patience` operations: a loop that never acquires, or a thread that others spin for, must not hold up the run;
 *  - if it ends because that thread has ended, t asks again and may find another to escort; if that thread cannot run,
 *    t keeps waiting, because the thread that enables it may still reverse the order;
 *  - relations of all earlier runs count, not only of the last one: a path that was taken once may be taken again.
 *
 * Draws (part of the record format, rng.h), in order, at each pick outside an escort: a chance for each sleeping thread
 * (candidates.h), the candidate, the thread to escort if one may trigger its class, or, if all wait, the thread to let
 * go; always last, what rfs_candidates_choose() draws.
 *
 *  depth=N      stack frames that an acquisition relates (default 12, the paper's; 1 to 64)
 *  patience=N   waits and escorts of more than N operations end (default 10000)
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"
#include "policy/samplers/candidates.h"
#include "policy/samplers/maytrigger.h"

#define DEFAULT_DEPTH 12
#define MAX_DEPTH 64
#define DEFAULT_PATIENCE 10000 /* as RaceFuzzer's */
/* Library frames that are not methods may be in between: pthread_mutex_lock, its C++ wrappers, qsort. */
#define EXTRA_FRAMES 8

enum hold {
	HOLD_FREE,
	HOLD_WAITING, /* the paper's RTHs */
	HOLD_LET_GO,  /* its request is not checked again */
};

/* The state of one thread. */
struct scheduled {
	enum hold hold;
	uint64_t since; /* view->step when it began to wait */
	struct rfs_op op;
	uint64_t class;	     /* HOLD_WAITING: requested */
	uint64_t *functions; /* on its stack, innermost first; depth at most */
	size_t n_functions;  /* valid while walked */
	bool walked;	     /* since it moved last */
};

struct drfinder {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick, kept for its memory; so is triggering */
	struct rfs_candidates triggering;
	struct scheduled *threads; /* by thread number */
	size_t capacity;
	struct rfs_maytrigger relation;
	uint64_t depth, patience;

	int escorted;	       /* -1: none */
	uint64_t escort_class; /* … until it acquires a lock of this class */
	uint64_t escort_since;

	uint64_t n_requests, n_waits, n_reversed, n_thrashings, n_livelocks;
};

static int drfinder_init(void **out, const struct rfs_policy_args *args)
{
	struct drfinder settings = {.depth = DEFAULT_DEPTH, .patience = DEFAULT_PATIENCE, .escorted = -1}, *finder;
	const struct rfs_policy_option options[] = {
		{"depth", &settings.depth, NULL},
		{"patience", &settings.patience, NULL},
	};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (!err && (settings.depth < 1 || settings.depth > MAX_DEPTH))
		err = -EINVAL;
	if (!err && args->blob)
		err = rfs_maytrigger_load(&settings.relation, args->blob);
	if (err)
		return err;
	finder = rfs_policy_zalloc(1, sizeof(*finder));
	*finder = settings;
	rfs_rng_init(&finder->rng, args->seed);
	*out = finder;
	return 0;
}

static struct scheduled *state_of(struct drfinder *finder, const struct rfs_thread_view *thread)
{
	return &finder->threads[thread->thread];
}

static void drfinder_event(void *opaque, const struct rfs_event *event)
{
	struct drfinder *finder = opaque;

	if (event->kind == RFS_EVENT_OP && (size_t)event->thread < finder->capacity)
		finder->threads[event->thread].walked = false;
}

/* Walks the stack at most once for each operation that the thread is parked at. */
static const struct scheduled *drfinder_walk(struct drfinder *finder, const struct rfs_view *view,
					     const struct rfs_thread_view *thread)
{
	struct scheduled *state = state_of(finder, thread);
	rfs_addr frames[MAX_DEPTH + EXTRA_FRAMES];
	size_t n;

	if (state->walked)
		return state;
	if (!state->functions)
		state->functions = rfs_policy_zalloc(finder->depth, sizeof(*state->functions));
	n = view->stack ? view->stack(view, thread->thread, frames, finder->depth + EXTRA_FRAMES) : 0;
	state->n_functions = 0;
	for (size_t i = 0; i < n && state->n_functions < finder->depth; i++) {
		uint64_t function = view->function ? view->function(view, frames[i]) : frames[i];

		if (function)
			state->functions[state->n_functions++] = function;
	}
	state->walked = true;
	return state;
}

/* Algorithm 2: the functions that this acquisition relates to its class. */
static void collect(struct drfinder *finder, const struct rfs_view *view, const struct rfs_thread_view *thread)
{
	const struct scheduled *state = drfinder_walk(finder, view, thread);

	for (size_t i = 0; i < state->n_functions; i++)
		rfs_maytrigger_add(&finder->relation, state->functions[i], thread->lock_class);
}

static bool may_trigger(struct drfinder *finder, const struct rfs_view *view, const struct rfs_thread_view *thread,
			uint64_t class)
{
	const struct scheduled *state = drfinder_walk(finder, view, thread);

	return state->n_functions && rfs_maytrigger_has(&finder->relation, state->functions[0], class);
}

static bool same_op(const struct rfs_op *a, const struct rfs_op *b)
{
	return a->kind == b->kind && a->site == b->site && a->object == b->object;
}

/* Before each pick: forgets threads that moved without a pick (a signal handler), and resumes threads that wait too
 * long. */
static void refresh(struct drfinder *finder, const struct rfs_view *view)
{
	int last = view->threads[view->n_threads - 1].thread;

	finder->threads = rfs_policy_grow(finder->threads, &finder->capacity, last + 1, sizeof(*finder->threads));
	for (size_t i = 0; i < view->n_threads; i++) {
		struct scheduled *state = state_of(finder, &view->threads[i]);

		if (state->hold == HOLD_FREE)
			continue;
		if (!same_op(&state->op, &view->threads[i].next)) {
			state->hold = HOLD_FREE;
			state->walked = false;
		} else if (state->hold == HOLD_WAITING && view->step - state->since > finder->patience) {
			state->hold = HOLD_LET_GO;
			finder->n_livelocks++;
		}
	}
}

static void set_waiting(struct drfinder *finder, const struct rfs_view *view, uint64_t class, enum hold to)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		struct scheduled *state = state_of(finder, &view->threads[i]);

		if (state->hold == HOLD_WAITING && state->class == class)
			state->hold = to;
	}
}

static void drfinder_execute(struct drfinder *finder, const struct rfs_view *view, const struct rfs_thread_view *thread,
			     struct rfs_choice *out)
{
	state_of(finder, thread)->hold = HOLD_FREE;
	if (thread->lock_class)
		collect(finder, view, thread);
	/* A lock of this class was acquired: threads that wait for that need not wait any longer. */
	if (thread->lock_class)
		set_waiting(finder, view, thread->lock_class, HOLD_LET_GO);
	if (finder->escorted == thread->thread && thread->lock_class == finder->escort_class) {
		finder->escorted = -1;
		finder->n_reversed++;
	}
	rfs_candidates_choose(view, thread, &finder->rng, out);
}

static const struct rfs_thread_view *find_thread(const struct rfs_view *view, int thread)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		if (view->threads[i].thread == thread)
			return &view->threads[i];
	}
	return NULL;
}

/* The escorted thread if the escort continues; otherwise NULL, and the escort has ended. */
static const struct rfs_thread_view *escorted(struct drfinder *finder, const struct rfs_view *view)
{
	const struct rfs_thread_view *thread = find_thread(view, finder->escorted);

	if (finder->escorted < 0)
		return NULL;
	if (!thread) {
		set_waiting(finder, view, finder->escort_class, HOLD_FREE);
	} else if (view->step - finder->escort_since > finder->patience) {
		set_waiting(finder, view, finder->escort_class, HOLD_LET_GO);
		finder->n_livelocks++;
	} else if (rfs_candidate_class(thread) == RFS_CANDIDATE_AWAKE) {
		return thread;
	}
	finder->escorted = -1;
	return NULL;
}

static bool is_not_waiting(void *finder, const struct rfs_thread_view *thread)
{
	return state_of(finder, thread)->hold != HOLD_WAITING;
}

static bool is_waiting(void *finder, const struct rfs_thread_view *thread)
{
	return state_of(finder, thread)->hold == HOLD_WAITING && rfs_candidate_class(thread) != RFS_CANDIDATE_NONE;
}

struct triggering {
	struct drfinder *finder;
	const struct rfs_view *view;
	const struct rfs_thread_view *requests;
};

static bool is_triggering(void *arg, const struct rfs_thread_view *thread)
{
	const struct triggering *with = arg;

	return thread != with->requests && rfs_candidate_class(thread) == RFS_CANDIDATE_AWAKE &&
	       is_not_waiting(with->finder, thread) &&
	       may_trigger(with->finder, with->view, thread, with->requests->lock_class);
}

/* t is parked before an acquisition: true if it must wait; then finder->escorted is set. */
static bool request(struct drfinder *finder, const struct rfs_view *view, const struct rfs_thread_view *t)
{
	struct triggering with = {finder, view, t};
	struct scheduled *state = state_of(finder, t);

	if (state->hold == HOLD_LET_GO)
		return false;
	finder->n_requests++;
	if (!rfs_maytrigger_any(&finder->relation, t->lock_class))
		return false; /* saves the stack walks */
	rfs_candidates_all(&finder->triggering, view, is_triggering, &with);
	if (finder->triggering.n == 0)
		return false;
	state->hold = HOLD_WAITING;
	state->since = view->step;
	state->op = t->next;
	state->class = t->lock_class;
	finder->n_waits++;
	finder->escorted = finder->triggering.threads[rfs_rng_below(&finder->rng, finder->triggering.n)]->thread;
	finder->escort_class = t->lock_class;
	finder->escort_since = view->step;
	return true;
}

/* No awake candidate is left: picks a thread that yielded; if there is none, a waiting thread; otherwise time advances.
 */
static void refill(struct drfinder *finder, const struct rfs_view *view)
{
	struct rfs_candidates *list = &finder->candidates;

	rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, is_not_waiting, finder);
	if (list->n)
		return;
	rfs_candidates_all(list, view, is_waiting, finder);
	if (list->n) {
		list->threads[0] = list->threads[rfs_rng_below(&finder->rng, list->n)];
		list->n = 1;
		state_of(finder, list->threads[0])->hold = HOLD_LET_GO;
		finder->n_thrashings++;
		return;
	}
	rfs_candidates_of_class(list, view, RFS_CANDIDATE_SLEEPING, is_not_waiting, finder);
}

static int drfinder_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct drfinder *finder = opaque;
	struct rfs_candidates *list = &finder->candidates;
	const struct rfs_thread_view *t;

	refresh(finder, view);
	t = escorted(finder, view);
	if (!t) {
		rfs_candidates_awake(list, view, &finder->rng, is_not_waiting, finder);
		if (list->n == 0)
			refill(finder, view);
		if (list->n == 0)
			return -EINVAL; /* called although no thread can run */
		t = list->threads[rfs_rng_below(&finder->rng, list->n)];
		if (t->lock_class && request(finder, view, t))
			t = find_thread(view, finder->escorted);
	}
	drfinder_execute(finder, view, t, out);
	return 0;
}

static int drfinder_save(void *opaque, struct rfs_blob *blob)
{
	const struct drfinder *finder = opaque;

	return rfs_maytrigger_save(&finder->relation, blob);
}

static void drfinder_stats(void *opaque, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	const struct drfinder *finder = opaque;

	emit(arg, "requests", finder->n_requests);
	emit(arg, "postponed", finder->n_waits);
	emit(arg, "reversed", finder->n_reversed);
	emit(arg, "thrashings", finder->n_thrashings);
	emit(arg, rfs_policy_counter_key(RFS_COUNTER_LIVELOCKS), finder->n_livelocks);
	emit(arg, "relations", finder->relation.n);
}

static void drfinder_fini(void *opaque)
{
	struct drfinder *finder = opaque;

	rfs_candidates_release(&finder->candidates);
	rfs_candidates_release(&finder->triggering);
	rfs_maytrigger_release(&finder->relation);
	for (size_t i = 0; i < finder->capacity; i++)
		free(finder->threads[i].functions);
	free(finder->threads);
	free(finder);
}

const struct rfs_policy_ops rfs_policy_drfinder = {
	.abi = RFS_POLICY_ABI,
	.name = "drfinder",
	.summary = "reverses critical sections to find races that their order hides (DrFinder, FSE 2015)",
	.flags = RFS_POLICY_NEEDS_BLOB | RFS_POLICY_NEEDS_HEAP,
	.init = drfinder_init,
	.pick = drfinder_pick,
	.event = drfinder_event,
	.save = drfinder_save,
	.stats = drfinder_stats,
	.fini = drfinder_fini,
};
