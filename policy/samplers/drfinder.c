/*
 * drfinder.c - reverses the order of critical sections to find races that this order hides (Cai & Cao, Effective and
 * Precise Dynamic Detection of Hidden Races for Java Programs, FSE 2015, algorithms 1 to 3).
 *
 * A happens-before detector misses a race if a lock's release and acquire happen to order its two accesses. So suppose
 * that thread t requests a lock of class c while another thread runs a function that may trigger an acquisition of
 * class c (maytrigger.h). Then t waits, and one such other thread, drawn at random, is escorted: only it runs until it
 * has acquired a lock of class c. Then t continues. A thread that waits itself may be escorted too; it then no longer
 * waits (algorithm 3, lines 44 to 46).
 *
 * The may-trigger relation comes from earlier runs. Each acquisition relates the innermost `depth` functions on the
 * stack to the class of the lock. In the first run the relation is empty, so the policy equals simple random.
 *
 * Terms: the class of a lock (rfs_thread_view.lock_class) takes the place of the type of Java's lock object. A method
 * is a function. For a thread that has not started, it is the start routine. A lock is whatever the run reports as one:
 * a request is a next operation with a lock class, an acquisition is RFS_EVENT_ACQUIRE.
 *
 * Where this differs from the printed algorithm 3:
 *
 *  - The paper asks whether the current method of a thread may trigger an acquisition. Here all functions on its stack
 *    are asked, up to `depth`. A thread that is parked in a small helper function is otherwise never escorted, although
 *    the caller of the helper acquires the lock soon.
 *  - Thrashing: if all enabled threads wait, one of them is let go. Here it is drawn from the waiting threads (line 33)
 *    and continues with its own request (line 43). It leaves the set only after this request was read (line 53).
 *  - An escort also ends if the escorted thread cannot run, yields, sleeps or ends. Escorts and waits also end after
 *    `patience` operations, and waits if the threads that run only spin (spinning.h). Otherwise a loop that never
 *    acquires, or threads that spin for a waiting one, would stop the run.
 *  - If an escort ends because the escorted thread has ended, t requests again and may find another thread to escort.
 *    If the escorted thread cannot run, t keeps waiting, because a third thread may enable it and so still reverse the
 *    order.
 *  - One request of 16 is not checked, nor are those of a thread that goes on after a yield (candidates.h). Otherwise a
 *    run would reverse every order that it can, and many orders would never be executed.
 *  - The relation is collected over all earlier runs, not only the last one, because a path taken once may be taken
 *    again.
 *
 * Draws (part of the record format, rng.h). A pick
 * outside an escort draws, in this order:
 *
 *  1. what awake of candidates.h draws;
 *  2. the candidate;
 *  3. whether its request is checked, if some thread may trigger the requested class, and then the thread to escort;
 * or, if all candidates wait, the thread to let go.
 *
 * Each pick ends with the draws of rfs_candidates_choose().
 *
 * Options:
 *
 *  depth=N      how many functions of the stack an acquisition relates to its class (default 12, as in the paper; 1 to
 *               64)
 *  patience=N   waits and escorts of more than N operations end (default 10000)
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/choice/spinning.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"
#include "policy/samplers/maytrigger.h"

#define DEFAULT_DEPTH 12
#define MAX_DEPTH 64
#define DEFAULT_PATIENCE 10000 /* the same as in racefuzzer.c */
/*
 * One request of 16 is not checked. If each one were, no run could have an order in which nothing is reversed. The
 * races of the paper's figures still show in more than 85 % of the runs.
 */
#define UNCHECKED 16
/* Extra frames to read, because some are library functions and not methods: pthread_mutex_lock, its C++ wrappers,
 * qsort. */
#define EXTRA_FRAMES 8

enum hold {
	HOLD_FREE,
	HOLD_WAITING, /* in the paper's set RTHs */
	HOLD_LET_GO,  /* no longer waits; its request is not checked again */
};

/* The state of one thread. */
struct scheduled {
	enum hold hold;
	uint64_t since; /* view->step when it began to wait */
	struct rfs_op op;
	uint64_t class;	     /* HOLD_WAITING: of the requested lock */
	uint64_t requested;  /* class of the lock that the executed operation is to acquire; 0: none, or acquired */
	uint64_t *functions; /* on its stack, innermost first; at most `depth` */
	size_t n_functions;  /* valid if walked */
	bool walked;	     /* the stack was read since the thread last ran */
};

struct drfinder {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory, like triggering */
	struct rfs_candidates triggering;
	struct scheduled *threads; /* by thread number */
	size_t capacity;
	struct rfs_maytrigger relation;
	uint64_t depth, patience, spin_limit;
	struct rfs_spinning spinning; /* since a thread was let go */

	int escorted;	       /* number of the escorted thread; -1: none */
	uint64_t escort_class; /* the escort ends when the thread acquires a lock of this class */
	uint64_t escort_since;

	uint64_t n_requests, n_waits, n_reversed, n_thrashings, n_livelocks;
};

static int drfinder_init(void **out, const struct rfs_policy_args *args)
{
	struct drfinder settings = {.depth = DEFAULT_DEPTH,
				    .patience = DEFAULT_PATIENCE,
				    .spin_limit = RFS_SPINNING_LIMIT,
				    .escorted = -1},
			*finder;
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

static struct scheduled *drfinder_state_of(struct drfinder *finder, const struct rfs_thread_view *thread)
{
	return &finder->threads[thread->thread];
}

static void set_waiting(struct drfinder *finder, uint64_t class, enum hold to)
{
	for (size_t i = 0; i < finder->capacity; i++) {
		struct scheduled *state = &finder->threads[i];

		if (state->hold == HOLD_WAITING && state->class == class)
			state->hold = to;
	}
}

/* The thread has acquired the lock that it requested: threads that waited for that may continue. */
static void acquired(struct drfinder *finder, int thread)
{
	struct scheduled *state = &finder->threads[thread];
	uint64_t class = state->requested;

	state->requested = 0;
	if (!class)
		return;
	set_waiting(finder, class, HOLD_LET_GO);
	if (finder->escorted == thread && class == finder->escort_class) {
		finder->escorted = -1;
		finder->n_reversed++;
	}
}

/* A lock that its holder acquires once more sends no RFS_EVENT_ACQUIRE, so the operation counts, too. */
static bool is_acquisition(const struct rfs_event *event)
{
	if (event->kind == RFS_EVENT_ACQUIRE)
		return true;
	return event->kind == RFS_EVENT_OP && event->outcome == RFS_OUTCOME_DONE &&
	       (event->op.kind == RFS_OP_LOCK || event->op.kind == RFS_OP_RDLOCK || event->op.kind == RFS_OP_WRLOCK);
}

static void drfinder_event(void *opaque, const struct rfs_event *event)
{
	struct drfinder *finder = opaque;

	if (event->thread < 0 || (size_t)event->thread >= finder->capacity)
		return;
	if (event->kind == RFS_EVENT_OP) {
		finder->threads[event->thread].walked = false;
		rfs_spinning_note(&finder->spinning, event->thread, &event->op);
	}
	if (is_acquisition(event))
		acquired(finder, event->thread);
}

/* Reads the stack of the thread, at most once for each operation at which the thread is parked. */
static const struct scheduled *drfinder_walk(struct drfinder *finder, const struct rfs_view *view,
					     const struct rfs_thread_view *thread)
{
	struct scheduled *state = drfinder_state_of(finder, thread);
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

/* Algorithm 2: relates the functions on the stack to the class of the acquired lock. */
static void drfinder_collect(struct drfinder *finder, const struct rfs_view *view, const struct rfs_thread_view *thread)
{
	const struct scheduled *state = drfinder_walk(finder, view, thread);

	for (size_t i = 0; i < state->n_functions; i++)
		rfs_maytrigger_add(&finder->relation, state->functions[i], thread->lock_class);
}

static bool may_trigger(struct drfinder *finder, const struct rfs_view *view, const struct rfs_thread_view *thread,
			uint64_t class)
{
	const struct scheduled *state = drfinder_walk(finder, view, thread);

	for (size_t i = 0; i < state->n_functions; i++) {
		if (rfs_maytrigger_has(&finder->relation, state->functions[i], class))
			return true;
	}
	return false;
}

static bool drfinder_same_op(const struct rfs_op *a, const struct rfs_op *b)
{
	return a->kind == b->kind && a->site == b->site && a->object == b->object;
}

/* Called before each pick. A thread may have run without being picked (a signal handler): it is no longer in a hold. A
 * thread that has waited for too long is let go. */
static void drfinder_refresh(struct drfinder *finder, const struct rfs_view *view)
{
	const bool spins = finder->spinning.sum >= finder->spin_limit;
	const uint64_t n_livelocks = finder->n_livelocks;
	int last = view->threads[view->n_threads - 1].thread;

	finder->threads = rfs_policy_grow(finder->threads, &finder->capacity, last + 1, sizeof(*finder->threads));
	for (size_t i = 0; i < view->n_threads; i++) {
		struct scheduled *state = drfinder_state_of(finder, &view->threads[i]);

		if (state->hold == HOLD_FREE)
			continue;
		if (!drfinder_same_op(&state->op, &view->threads[i].next)) {
			state->hold = HOLD_FREE;
			state->walked = false;
		} else if (state->hold == HOLD_WAITING && (spins || view->step - state->since > finder->patience)) {
			state->hold = HOLD_LET_GO;
			finder->n_livelocks++;
		}
	}
	if (spins && finder->n_livelocks > n_livelocks)
		finder->spin_limit = rfs_spinning_next_limit(finder->spin_limit);
	if (spins)
		rfs_spinning_restart(&finder->spinning);
}

static void drfinder_execute(struct drfinder *finder, const struct rfs_view *view, const struct rfs_thread_view *thread,
			     struct rfs_choice *out)
{
	struct scheduled *state = drfinder_state_of(finder, thread);

	state->hold = HOLD_FREE;
	state->requested = thread->lock_class;
	if (thread->lock_class)
		drfinder_collect(finder, view, thread);
	rfs_candidates_choose(&finder->candidates, view, thread, &finder->rng, out);
}

static const struct rfs_thread_view *find_thread(const struct rfs_view *view, int thread)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		if (view->threads[i].thread == thread)
			return &view->threads[i];
	}
	return NULL;
}

/* The escorted thread, if the escort continues. Otherwise NULL, and the escort has ended. */
static const struct rfs_thread_view *escorted(struct drfinder *finder, const struct rfs_view *view)
{
	const struct rfs_thread_view *thread = find_thread(view, finder->escorted);

	if (finder->escorted < 0)
		return NULL;
	if (!thread) {
		set_waiting(finder, finder->escort_class, HOLD_FREE);
	} else if (view->step - finder->escort_since > finder->patience) {
		set_waiting(finder, finder->escort_class, HOLD_LET_GO);
		finder->n_livelocks++;
	} else if (rfs_candidate_class(thread) == RFS_CANDIDATE_AWAKE) {
		return thread;
	}
	finder->escorted = -1;
	return NULL;
}

static bool is_not_waiting(void *finder, const struct rfs_thread_view *thread)
{
	return drfinder_state_of(finder, thread)->hold != HOLD_WAITING;
}

static bool is_waiting(void *finder, const struct rfs_thread_view *thread)
{
	return drfinder_state_of(finder, thread)->hold == HOLD_WAITING &&
	       rfs_candidate_class(thread) != RFS_CANDIDATE_NONE;
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
	       may_trigger(with->finder, with->view, thread, with->requests->lock_class);
}

/* t is parked before an acquisition. Returns true if t must wait; finder->escorted then names the thread to run
 * instead. */
static bool drfinder_request(struct drfinder *finder, const struct rfs_view *view, const struct rfs_thread_view *t)
{
	struct triggering with = {finder, view, t};
	struct scheduled *state = drfinder_state_of(finder, t);

	if (state->hold == HOLD_LET_GO || rfs_candidates_goes_on(&finder->candidates, t->thread))
		return false;
	finder->n_requests++;
	if (!rfs_maytrigger_any(&finder->relation, t->lock_class))
		return false; /* no stack needs to be read */
	rfs_candidates_all(&finder->triggering, view, is_triggering, &with);
	if (finder->triggering.n == 0 || rfs_rng_chance(&finder->rng, 1, UNCHECKED))
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

/* Called if no awake candidate is left. Takes the yielded threads. If there are none, lets one waiting thread go. If
 * there are none either, takes the sleeping threads. */
static void drfinder_refill(struct drfinder *finder, const struct rfs_view *view)
{
	struct rfs_candidates *list = &finder->candidates;

	rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, is_not_waiting, finder);
	if (list->n)
		return;
	rfs_candidates_all(list, view, is_waiting, finder);
	if (list->n) {
		list->threads[0] = list->threads[rfs_rng_below(&finder->rng, list->n)];
		list->n = 1;
		drfinder_state_of(finder, list->threads[0])->hold = HOLD_LET_GO;
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

	drfinder_refresh(finder, view);
	t = escorted(finder, view);
	if (!t) {
		rfs_candidates_awake(list, view, &finder->rng, is_not_waiting, finder);
		if (list->n == 0)
			drfinder_refill(finder, view);
		if (list->n == 0)
			return -EINVAL; /* no thread can run: the caller must not call pick then */
		t = list->threads[rfs_rng_below(&finder->rng, list->n)];
		if (t->lock_class && drfinder_request(finder, view, t))
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
	.summary = "reverses the order of critical sections to find races that this order hides (DrFinder, FSE 2015)",
	.flags = RFS_POLICY_NEEDS_BLOB | RFS_POLICY_NEEDS_HEAP,
	.init = drfinder_init,
	.pick = drfinder_pick,
	.event = drfinder_event,
	.save = drfinder_save,
	.stats = drfinder_stats,
	.fini = drfinder_fini,
};
