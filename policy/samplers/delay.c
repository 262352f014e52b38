/*
 * delay.c - few switches in a simple order: a randomised form of delay-bounded scheduling (Emmi, Qadeer & Rakamaric,
 * Delay-Bounded Scheduling, POPL 2011).
 *
 * Threads wait in a queue. The first one that can run does so until it cannot continue; then it goes to the end. A
 * thread that was asleep goes to the end when it wakes, so threads that never slept come before it. A condition that
 * was true at the wake may then be false again. A few times a thread is delayed: it goes to the end although it could
 * run, right before it writes or enters a critical section. What it has read may be stale when its next turn comes. In
 * one run of four it may also be delayed before it leaves a section: a trylock of another thread then fails. Before
 * other operations it is delayed seldom.
 *
 * So there are few different runs, and each one is unlike a run on a real machine. Many bugs need only one thread that
 * is delayed for long (Thomson, Donaldson & Betts, Concurrency Testing Using Schedule Bounding, PPoPP 2014).
 *
 * Seeds 2n and 2n + 1 have opposite queues: if new threads come in the order of their creation in one, they come in the
 * reverse order in the other. A bug that needs two whole threads in one order shows in one of the two.
 *
 * Draws (part of the record format, rng.h). A stream of seed / 2 draws at init whether the order is random, the bound,
 * early and whether unlocks are points, even if options give them. If the order is random, it then draws a rank for
 * each new thread, by number. The stream of the seed draws in each pick: what rfs_candidates_collect() draws; for each
 * thread that gets its turn, the gap until the next delay, if it is at a point and has no gap, and whether it is
 * delayed if it is at no point or was delayed before this operation; and what rfs_candidates_choose() draws.
 *
 *  order=O     the order of new threads. 1: as they were created; 2: the newest first; 3: random; 0 (default): drawn
 *  bound=N     each thread is delayed fewer than N times; 0 (default): drawn
 *  early=E     1: a thread may be delayed before its first action (is_action()), because it may have read memory
 *              without an operation; 2: only after its first action; 0 (default): drawn
 *  patience=N  after N operations in a row a thread goes to the end (default 1000): it may be in a loop that waits for
 *              another thread. A thread that starves (starving.h) then runs at once.
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/choice/starving.h"
#include "policy/core/alloc.h"
#include "policy/core/op.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

#define DEFAULT_PATIENCE 1000
#define MAX_BOUND 100

/* A thread is delayed before one in this number of operations that are no points, and once in this number of times it
 * is delayed again before the same operation. So no order is impossible. */
#define ELSEWHERE 64
#define QUEUE_STREAM UINT64_C(0x64656c6179)

/* The places of new threads: before all threads that went to the end. */
#define NEW_PLACES (INT64_MIN / 2)

enum order { ORDER_DRAWN, ORDER_CREATED, ORDER_NEWEST, ORDER_RANDOM, ORDER_COUNT };

enum early { EARLY_DRAWN, EARLY_YES, EARLY_NO, EARLY_COUNT };

/* One run in four has no delays. In two of four, each thread has at most one delay, and in one at most three. */
static const uint64_t bounds[] = {1, 2, 2, 4};

struct queued {
	bool seen, acted;
	bool waits;	   /* it was asleep at the last pick (delay_is_asleep()) */
	bool yields;	   /* it had yielded at the last pick */
	int64_t place;	   /* in the queue: the smallest is first */
	uint64_t gap;	   /* at which of its next points it is delayed; 0: not drawn */
	uint64_t n_delays; /* how often it was delayed */
	bool passes;	   /* it is decided whether it is delayed before its next operation */
	uint64_t decided;  /* if it passes: view->step at that decision */
};

struct delay {
	struct rfs_rng rng, queue;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct rfs_starving starving;
	struct queued *threads; /* by thread number */
	size_t capacity;
	uint64_t order, bound, patience, early;
	bool reversed, unlocks; /* unlocks: a thread may be delayed before an unlock */
	int64_t end;		/* the last place that was given */
	int current;		/* the thread picked last; -1: none */
	uint64_t since;		/* view->step when its turn began */
};

static int delay_init(void **out, const struct rfs_policy_args *args)
{
	struct delay settings = {.patience = DEFAULT_PATIENCE, .current = -1}, *delay;
	uint64_t order, bound, early;
	const struct rfs_policy_option options[] = {
		{"order", &settings.order, NULL},
		{"bound", &settings.bound, NULL},
		{"patience", &settings.patience, NULL},
		{"early", &settings.early, NULL},
	};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (err)
		return err;
	if (settings.order >= ORDER_COUNT || settings.early >= EARLY_COUNT || settings.bound > MAX_BOUND ||
	    settings.patience == 0)
		return -EINVAL;
	delay = rfs_policy_zalloc(1, sizeof(*delay));
	*delay = settings;
	delay->starving.patience = delay->patience;
	delay->reversed = args->seed % 2;
	rfs_rng_init(&delay->rng, args->seed);
	rfs_rng_init_stream(&delay->queue, args->seed / 2, QUEUE_STREAM);
	order = rfs_rng_chance(&delay->queue, 1, 2) ? ORDER_RANDOM : delay->reversed ? ORDER_NEWEST : ORDER_CREATED;
	bound = bounds[rfs_rng_below(&delay->queue, sizeof(bounds) / sizeof(*bounds))];
	early = rfs_rng_chance(&delay->queue, 1, 4) ? EARLY_YES : EARLY_NO;
	delay->unlocks = rfs_rng_chance(&delay->queue, 1, 4);
	if (delay->early == EARLY_DRAWN)
		delay->early = early;
	if (delay->order == ORDER_DRAWN)
		delay->order = order;
	if (delay->bound == 0)
		delay->bound = bound;
	*out = delay;
	return 0;
}

static struct queued *queued_of(struct delay *delay, int thread)
{
	delay->threads = rfs_policy_grow(delay->threads, &delay->capacity, (size_t)thread + 1, sizeof(*delay->threads));
	return &delay->threads[thread];
}

static void delay_to_the_end(struct delay *delay, struct queued *thread)
{
	thread->place = ++delay->end;
}

static void enqueue_new(struct delay *delay, struct queued *thread, int number)
{
	int64_t rank;

	thread->seen = true;
	if (delay->order == ORDER_CREATED) {
		delay_to_the_end(delay, thread);
	} else if (delay->order == ORDER_NEWEST) {
		thread->place = NEW_PLACES - number;
	} else {
		rank = (int64_t)(rfs_rng_next(&delay->queue) >> 2);
		thread->place = NEW_PLACES + (delay->reversed ? -rank : rank);
	}
}

/*
 * False for a thread that waits for a lock: it keeps its place. Also false for a thread that was signalled but does not
 * have the mutex yet; otherwise it would go to the end twice.
 */
static bool delay_is_asleep(const struct rfs_thread_view *thread)
{
	enum rfs_candidate_class class = rfs_candidate_class(thread);

	if (thread->next.kind == RFS_OP_LOCK || thread->next.kind == RFS_OP_RDLOCK ||
	    thread->next.kind == RFS_OP_WRLOCK)
		return false;
	return (class == RFS_CANDIDATE_NONE || class == RFS_CANDIDATE_SLEEPING) && !(thread->flags & RFS_THREAD_WOKEN);
}

static void delay_refresh(struct delay *delay, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];
		struct queued *thread = queued_of(delay, t->thread);
		bool waits = delay_is_asleep(t), yields = t->flags & RFS_THREAD_YIELDED;

		if (!thread->seen)
			enqueue_new(delay, thread, t->thread);
		else if (thread->waits && !waits)
			delay_to_the_end(delay, thread);
		/* two threads that yield or spin in turn must not keep the others from running */
		if (yields && !thread->yields && !rfs_candidates_goes_on(&delay->candidates, t->thread))
			delay_to_the_end(delay, thread);
		thread->waits = waits;
		thread->yields = yields;
	}
}

/*
 * Whether a thread may be delayed before this operation: it enters a critical section, writes, or accesses memory at a
 * statement that may race. Not before an atomic load, because a load does nothing with what was read before.
 */
static bool is_point(const struct rfs_op *op)
{
	switch (op->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
	case RFS_OP_TRYLOCK:
	case RFS_OP_COND_WAIT:
	case RFS_OP_COND_WAKE:
	case RFS_OP_SEM_WAIT:
		return true;
	default:
		return rfs_op_is_access(op->kind) &&
		       ((op->access & RFS_ACCESS_WRITE) || !(op->access & RFS_ACCESS_ATOMIC));
	}
}

/* Whether the operation may pass information from one thread to another, or acquires a lock. */
static bool is_action(const struct rfs_op *op)
{
	return is_point(op) || op->kind == RFS_OP_UNLOCK || op->kind == RFS_OP_SEM_POST || rfs_op_is_access(op->kind);
}

static void delay_event(void *opaque, const struct rfs_event *event)
{
	struct queued *thread;

	if (event->kind != RFS_EVENT_OP || event->thread < 0)
		return;
	thread = queued_of(opaque, event->thread);
	thread->passes = false;
	thread->acted |= is_action(&event->op);
}

/* True if the thread is delayed now. Half of the delays come at the first point, a quarter at the second, and so on. */
static bool draw_delay(struct delay *delay, const struct rfs_view *view, const struct rfs_thread_view *t)
{
	struct queued *thread = queued_of(delay, t->thread);
	const bool point = is_point(&t->next) || (delay->unlocks && t->next.kind == RFS_OP_UNLOCK);

	const bool again = thread->passes; /* it was delayed, and others have run */

	if ((again && thread->decided == view->step) || (!thread->acted && delay->early == EARLY_NO) ||
	    thread->n_delays + 1 >= delay->bound)
		return false;
	if ((!point || again) && (view->n_threads == 1 || !rfs_rng_chance(&delay->rng, 1, ELSEWHERE)))
		return false;
	thread->passes = true;
	thread->decided = view->step;
	if (!point || again) {
		thread->n_delays++;
		return true;
	}
	if (!thread->gap)
		for (thread->gap = 1; thread->gap < 64 && rfs_rng_chance(&delay->rng, 1, 2);)
			thread->gap++;
	if (--thread->gap > 0)
		return false;
	thread->n_delays++;
	return true;
}

static const struct rfs_thread_view *delay_first_of(struct delay *delay)
{
	const struct rfs_thread_view *first = delay->candidates.threads[0];

	for (size_t i = 1; i < delay->candidates.n; i++)
		if (queued_of(delay, delay->candidates.threads[i]->thread)->place <
		    queued_of(delay, first->thread)->place)
			first = delay->candidates.threads[i];
	return first;
}

/* A thread that starves; otherwise the current thread if it can continue, otherwise the first one of the queue. */
static const struct rfs_thread_view *delay_next_of(struct delay *delay, const struct rfs_view *view)
{
	const struct rfs_thread_view *starving = rfs_starving_first(&delay->starving, view);

	if (starving)
		return starving;
	for (size_t i = 0; i < delay->candidates.n; i++) {
		const struct rfs_thread_view *t = delay->candidates.threads[i];

		if (t->thread != delay->current || rfs_candidate_class(t) != RFS_CANDIDATE_AWAKE)
			continue;
		if (view->step - delay->since < delay->patience)
			return t;
		delay_to_the_end(delay, queued_of(delay, t->thread));
	}
	return delay_first_of(delay);
}

static int delay_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct delay *delay = opaque;
	const struct rfs_thread_view *t;

	rfs_candidates_collect(&delay->candidates, view, &delay->rng);
	if (delay->candidates.n == 0)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	delay_refresh(delay, view);
	t = delay_next_of(delay, view);
	while (draw_delay(delay, view, t)) {
		delay_to_the_end(delay, queued_of(delay, t->thread));
		t = delay_first_of(delay);
	}
	if (t->thread != delay->current) {
		delay->current = t->thread;
		delay->since = view->step;
	}
	if (rfs_candidate_class(t) != RFS_CANDIDATE_AWAKE && !rfs_candidates_goes_on(&delay->candidates, t->thread))
		delay_to_the_end(delay, queued_of(delay, t->thread));
	rfs_starving_picked(&delay->starving, t->thread);
	rfs_candidates_choose(&delay->candidates, view, t, &delay->rng, out);
	rfs_candidates_alone(view, out);
	return 0;
}

static void delay_fini(void *opaque)
{
	struct delay *delay = opaque;

	rfs_candidates_release(&delay->candidates);
	rfs_starving_release(&delay->starving);
	free(delay->threads);
	free(delay);
}

const struct rfs_policy_ops rfs_policy_delay = {
	.abi = RFS_POLICY_ABI,
	.name = "delay",
	.summary = "each thread runs until it waits, and a few are delayed for long (delay bounding, POPL 2011)",
	.init = delay_init,
	.pick = delay_pick,
	.event = delay_event,
	.fini = delay_fini,
};
