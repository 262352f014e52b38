/*
 * sweep.c - tries all schedules with few preemptions, one after the other: iterative context bounding (Musuvathi &
 * Qadeer, Iterative Context Bounding for Systematic Testing of Multithreaded Programs, PLDI 2007) without a search
 * tree.
 *
 * A base schedule is simple: each thread runs until it waits, ends, yields or has run for `patience` operations. Then
 * the first thread of a queue runs. In base schedule 0, older threads come first; in base schedule 1, newer ones. A
 * thread that yields, spends its patience, or begins to wait for a condition or a futex goes to the end. A thread that
 * starves (starving.h) runs at once.
 *
 * The alternatives of a point of the run (sweep_plan.h):
 *
 *  - Each other thread that can run, at most MAX_OTHERS, in the order of the queue; those that have yielded come after
 *    the others, and sleeping threads last. If the current thread could continue, this is a preemption. The thread that
 *    was to run goes to the end of the queue: what depends on a late thread often needs it after all others.
 *  - An operation that could complete times out.
 *  - A signal wakes another waiter than the first one of the queue.
 *
 * At the first point where the base schedules differ, base schedule 0 has no alternative for what base schedule 1 does.
 * In base schedule 1, alternatives count only after that point. So no schedule is executed twice. Two threads that do
 * not wait have exactly these runs. Without preemptions, either thread goes first. With one, the thread that goes first
 * is preempted before one of its later operations. With two, the other thread is preempted as well.
 *
 * Two alternatives are of one kind if the current thread is at the same instruction in both, and so is the other one.
 * A preemption matters most right before an operation on memory or an object that other threads use too (conflicts.h),
 * and only if the thread has executed another such operation since its turn began. Otherwise, the other thread could
 * have run before with the same effect.
 *
 * When everything was tried, the policy draws random threads like the policy random. Its counter `exhausted` says so.
 *
 * Each run saves what the next one needs. If nothing is saved, it is the first run. Before its first alternative, a run
 * must only execute operations that a base run has executed. Otherwise the program has changed, for example because
 * rfsup now stops at more accesses. Then the next run begins again.
 *
 * Draws (part of the record format, rng.h): only if everything was tried, and then those of the policy random.
 *
 * Options:
 *
 *  base=B      the first base schedule: older threads first (1), or newer ones (2); 0 (default): the seed decides
 *  bound=N     alternatives in a run, 1 or 2 (default 2)
 *  patience=N  see above (default 1000)
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "policy/choice/candidates.h"
#include "policy/choice/conflicts.h"
#include "policy/choice/starving.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"
#include "policy/samplers/schedule.h"
#include "policy/samplers/sweep_plan.h"

#define DEFAULT_PATIENCE 1000
#define MAX_OTHERS 8
#define MAX_ALTERNATIVES 16

/* A base run writes down at most this many operations. */
#define MAX_NOTED (1u << 18)

/*
 * A thread that could run, and was passed over at this many changes of threads, comes first. Otherwise two threads that
 * wake each other could starve a third one.
 */
#define PASSED_OVER_MOST 100

/* One thread of the run. */
struct swept {
	uint64_t end; /* place among the threads that went to the end of the queue; 0: never went there */
	unsigned passed_over;
	bool joined; /* it has waited for the end of another thread */
};

struct alternative {
	enum { OTHER_THREAD, TIME_OUT, OTHER_WAITER } kind;
	int thread;    /* that runs, or that a signal wakes */
	rfs_site site; /* of its next operation */
};

/* The alternatives of a point. */
struct point {
	struct alternative list[MAX_ALTERNATIVES];
	size_t n, n_threads; /* those of kind OTHER_THREAD come first */
	size_t skip;	     /* this one is no alternative; SIZE_MAX: none */
	bool change;	     /* another thread than before runs anyway, so no thread is preempted */
	bool counts;	     /* alternatives are numbered */
};

/* What a base run writes down of one executed operation. */
struct noted {
	struct rfs_op op;
	int thread;
	bool change, counts;
	uint32_t first, n, skip; /* its alternatives in sweep.noted_alternatives */
};

/* How many alternatives of one kind there were. */
struct occurrences {
	uint64_t key;
	uint32_t n;
	UT_hash_handle hh;
};

/* Numbers the alternatives of a run, by class. */
struct numbering {
	uint32_t next[RFS_SWEEP_CLASSES];
	struct occurrences *kinds; /* uthash */
	int thread;		   /* the one that executed the last operation */
	bool acted;		   /* it executed an operation in conflict since its turn began */
};

struct sweep {
	uint64_t bound, patience, base;
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct rfs_starving starving;
	struct rfs_sweep_memory memory;
	struct rfs_sweep_plan plan;
	struct rfs_sweep_found found;
	struct swept *threads; /* by thread number */
	size_t capacity;
	uint64_t ends;	/* how often a thread went to the end of the queue */
	int current;	/* the thread picked last; -1: none */
	int other;	/* the thread that the other base schedule would choose, if `change` of the point is set */
	uint64_t turn;	/* operations of its turn at which another thread could have run */
	unsigned taken; /* alternatives */
	size_t alive, created; /* threads */

	struct point point; /* of the last pick; operations that its hint covers have the same threads */
	bool picked;	    /* the operation of the last pick has not been executed yet */
	struct numbering numbering;

	/* only in a base run */
	struct rfs_conflicts conflicts;
	struct noted *noted;
	size_t n_noted, noted_capacity;
	struct alternative *noted_alternatives;
	size_t n_noted_alternatives, noted_alternatives_capacity, noted_at; /* noted_at: those of the last pick */
};

static int sweep_init(void **out, const struct rfs_policy_args *args)
{
	struct sweep settings = {.bound = 2, .patience = DEFAULT_PATIENCE, .current = -1}, *sweep;
	const struct rfs_policy_option options[] = {
		{"bound", &settings.bound, NULL},
		{"patience", &settings.patience, NULL},
		{"base", &settings.base, NULL},
	};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (!err && (settings.bound < 1 || settings.bound > 2 || settings.patience == 0 || settings.base > 2))
		err = -EINVAL;
	if (!err)
		err = rfs_sweep_memory_read(&settings.memory, args->blob);
	if (err)
		return err;
	sweep = rfs_policy_zalloc(1, sizeof(*sweep));
	*sweep = settings;
	sweep->starving.patience = sweep->patience;
	sweep->numbering.thread = -1;
	rfs_rng_init(&sweep->rng, args->seed);
	rfs_sweep_next(&sweep->memory, (unsigned)sweep->bound,
		       (uint32_t)(sweep->base ? sweep->base - 1 : args->seed % 2), &sweep->plan);
	*out = sweep;
	return 0;
}

/* ---- the queue ---- */

static struct swept *swept_of(struct sweep *sweep, int thread)
{
	sweep->threads = rfs_policy_grow(sweep->threads, &sweep->capacity, (size_t)thread + 1, sizeof(*sweep->threads));
	return &sweep->threads[thread];
}

static void sweep_to_the_end(struct sweep *sweep, int thread)
{
	swept_of(sweep, thread)->end = ++sweep->ends;
}

/* Whether a comes before b in the queue of the base schedule. */
static bool sweep_is_before(struct sweep *sweep, uint32_t base, int a, int b)
{
	const uint64_t end_a = swept_of(sweep, a)->end, end_b = swept_of(sweep, b)->end;

	if (end_a || end_b)
		return end_a < end_b;
	return base ? a > b : a < b;
}

static const struct rfs_thread_view *sweep_first_of(struct sweep *sweep, uint32_t base)
{
	const struct rfs_thread_view *first = NULL;

	for (size_t i = 0; i < sweep->candidates.n; i++)
		if (!first || sweep_is_before(sweep, base, sweep->candidates.threads[i]->thread, first->thread))
			first = sweep->candidates.threads[i];
	return first;
}

static bool can_run(void *arg, const struct rfs_thread_view *thread)
{
	const enum rfs_candidate_class class = rfs_candidate_class(thread);

	(void)arg;
	return class == RFS_CANDIDATE_AWAKE || class == RFS_CANDIDATE_SLEEPING;
}

/* The candidates if the current thread does not continue. tired: it could, but its patience is spent. */
static void sweep_collect(struct sweep *sweep, const struct rfs_view *view, bool tired)
{
	struct rfs_candidates *list = &sweep->candidates;

	rfs_candidates_all(list, view, can_run, NULL);
	for (size_t i = list->n; i-- > 0;) {
		struct swept *thread = swept_of(sweep, list->threads[i]->thread);

		if (thread->passed_over >= PASSED_OVER_MOST) {
			list->threads[0] = list->threads[i];
			list->n = 1;
			return;
		}
		thread->passed_over++;
	}
	if (!tired)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_AWAKE, NULL, NULL);
	if (list->n == 0)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, NULL, NULL);
	if (list->n == 0)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_SLEEPING, NULL, NULL);
}

static const struct rfs_thread_view *sweep_find(const struct rfs_view *view, int thread)
{
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].thread == thread)
			return &view->threads[i];
	return NULL;
}

/* What the base schedule does now. *change: the current thread does not just continue. NULL: no thread can run. */
static const struct rfs_thread_view *sweep_usual(struct sweep *sweep, const struct rfs_view *view, bool *change)
{
	const struct rfs_thread_view *current = sweep_find(view, sweep->current);
	const struct rfs_thread_view *starving = rfs_starving_first(&sweep->starving, view);
	const enum rfs_candidate_class class = current ? rfs_candidate_class(current) : RFS_CANDIDATE_NONE;

	*change = class != RFS_CANDIDATE_AWAKE || sweep->turn >= sweep->patience || starving;
	if (!*change)
		return current;
	if (class == RFS_CANDIDATE_AWAKE || class == RFS_CANDIDATE_YIELDED)
		sweep_to_the_end(sweep, sweep->current);
	if (starving) {
		sweep->other = starving->thread;
		return starving;
	}
	sweep_collect(sweep, view, class == RFS_CANDIDATE_AWAKE);
	if (sweep->candidates.n == 0)
		return NULL;
	sweep->other = sweep_first_of(sweep, !sweep->plan.base)->thread;
	return sweep_first_of(sweep, sweep->plan.base);
}

/* ---- alternatives ---- */

static void add_alternative(struct point *point, int kind, const struct rfs_thread_view *t)
{
	if (point->n < MAX_ALTERNATIVES)
		point->list[point->n++] = (struct alternative){.kind = kind, .thread = t->thread, .site = t->next.site};
}

/* Adds the other threads of this class, in the order of the queue. */
static void add_others(struct sweep *sweep, const struct rfs_view *view, enum rfs_candidate_class class,
		       const struct rfs_thread_view *chosen)
{
	struct point *point = &sweep->point;
	const struct rfs_thread_view *t;

	rfs_candidates_of_class(&sweep->candidates, view, class, NULL, NULL);
	while (point->n < MAX_OTHERS && (t = sweep_first_of(sweep, sweep->plan.base)) != NULL) {
		size_t i = 0;

		while (sweep->candidates.threads[i] != t)
			i++;
		rfs_candidates_remove(&sweep->candidates, i);
		if (t != chosen)
			add_alternative(point, OTHER_THREAD, t);
	}
}

static const struct rfs_thread_view *first_waiter(struct sweep *sweep, const struct rfs_view *view,
						  const struct rfs_op *wake)
{
	const struct rfs_thread_view *first = NULL;

	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];

		if (rfs_candidate_waits(t, wake) &&
		    (!first || sweep_is_before(sweep, sweep->plan.base, t->thread, first->thread)))
			first = t;
	}
	return first;
}

/* Finds the alternatives to what the base schedule does now. */
static void look_at_point(struct sweep *sweep, const struct rfs_view *view, const struct rfs_thread_view *chosen,
			  bool change)
{
	const struct rfs_thread_view *waiter = first_waiter(sweep, view, &chosen->next);
	struct point *point = &sweep->point;

	*point = (struct point){.skip = SIZE_MAX, .change = change};
	add_others(sweep, view, RFS_CANDIDATE_AWAKE, chosen);
	add_others(sweep, view, RFS_CANDIDATE_YIELDED, chosen);
	add_others(sweep, view, RFS_CANDIDATE_SLEEPING, chosen);
	point->n_threads = point->n;
	if ((chosen->flags & RFS_THREAD_CAN_TIME_OUT) && rfs_schedule_outcome(chosen) == RFS_OUTCOME_DONE)
		add_alternative(point, TIME_OUT, chosen);
	for (size_t i = 0; waiter && i < view->n_threads; i++)
		if (&view->threads[i] != waiter && rfs_candidate_waits(&view->threads[i], &chosen->next))
			add_alternative(point, OTHER_WAITER, &view->threads[i]);
}

/* If the base schedules differ here for the first time, the choice of the other one is no alternative. */
static void see_parting(struct sweep *sweep, int chosen)
{
	struct point *point = &sweep->point;

	point->counts = sweep->found.parted || sweep->taken || sweep->plan.base == 0;
	if (sweep->found.parted || sweep->taken || !point->change || sweep->other == chosen)
		return;
	sweep->found.parted = true;
	for (size_t i = 0; i < point->n_threads; i++)
		if (point->list[i].thread == sweep->other)
			point->skip = i;
}

/* ---- numbers ---- */

static bool is_release(enum rfs_op_kind kind)
{
	return kind == RFS_OP_UNLOCK || kind == RFS_OP_DESTROY;
}

static enum rfs_sweep_class sweep_classify(struct numbering *numbering, const struct rfs_key_set *conflicts,
					   const struct rfs_op *op, int thread, bool change,
					   const struct alternative *other)
{
	const bool preempts = !change && other->kind == OTHER_THREAD;
	const uint64_t key = rfs_key(rfs_key(op->site, other->site), (uint64_t)other->kind * 2 + preempts);
	struct occurrences *kind;

	if (preempts && !rfs_conflicts_in(conflicts, op))
		return RFS_SWEEP_OTHER;
	if (preempts && !(numbering->acted && numbering->thread == thread))
		return RFS_SWEEP_REST;
	HASH_FIND(hh, numbering->kinds, &key, sizeof(key), kind);
	if (!kind) {
		kind = rfs_policy_zalloc(1, sizeof(*kind));
		kind->key = key;
		HASH_ADD(hh, numbering->kinds, key, sizeof(key), kind);
	}
	kind->n++;
	if (kind->n == 1 && !(preempts && is_release(op->kind)))
		return RFS_SWEEP_NEW;
	return kind->n <= 2 ? RFS_SWEEP_AGAIN : RFS_SWEEP_REST;
}

static void forget_kinds(struct numbering *numbering)
{
	struct occurrences *kind, *next;

	HASH_ITER (hh, numbering->kinds, kind, next) {
		HASH_DEL(numbering->kinds, kind);
		free(kind);
	}
	memset(numbering->next, 0, sizeof(numbering->next));
}

static void note_executed(struct numbering *numbering, const struct rfs_key_set *conflicts, int thread,
			  const struct rfs_op *op)
{
	if (numbering->thread != thread)
		numbering->acted = false;
	numbering->thread = thread;
	numbering->acted = numbering->acted || rfs_conflicts_in(conflicts, op);
}

/* Whether this run numbers alternatives as it meets them. A base run does so at its end: then it knows conflicts. */
static bool numbers_now(const struct sweep *sweep)
{
	return sweep->plan.kind != RFS_SWEEP_BASE && sweep->taken < sweep->bound;
}

/*
 * Numbers the alternatives before an operation. Returns the one that the plan takes, or -1. n: only the first
 * n alternatives of the point are numbered.
 */
static int number_alternatives(struct sweep *sweep, int thread, const struct rfs_op *op, bool change, size_t n)
{
	const struct rfs_key_set *conflicts = &sweep->memory.bases[sweep->plan.base].conflicts;
	const struct point *point = &sweep->point;
	int found = -1;

	for (size_t i = 0; point->counts && i < n; i++) {
		enum rfs_sweep_class class;

		if (change && i == point->skip)
			continue;
		class = sweep_classify(&sweep->numbering, conflicts, op, thread, change, &point->list[i]);
		if (sweep->numbering.next[class]++ == sweep->plan.take[sweep->taken].number &&
		    sweep->taken < sweep->plan.n && class == sweep->plan.take[sweep->taken].class)
			found = (int)i;
	}
	return found;
}

/* Writes down the alternatives of the point. */
static void note_alternatives(struct sweep *sweep)
{
	const struct point *point = &sweep->point;

	sweep->noted_at = sweep->n_noted_alternatives;
	sweep->n_noted_alternatives += point->n;
	sweep->noted_alternatives = rfs_policy_grow(sweep->noted_alternatives, &sweep->noted_alternatives_capacity,
						    sweep->n_noted_alternatives, sizeof(*point->list));
	memcpy(sweep->noted_alternatives + sweep->noted_at, point->list, point->n * sizeof(*point->list));
}

/* A base run: writes down the operation and the alternatives before it. first: the operation of the last pick. */
static void sweep_note_point(struct sweep *sweep, int thread, const struct rfs_op *op, bool first)
{
	const struct point *point = &sweep->point;

	if (sweep->n_noted == MAX_NOTED) {
		sweep->found.incomplete = true;
		return;
	}
	if (first && point->n)
		note_alternatives(sweep);
	sweep->noted = rfs_policy_grow(sweep->noted, &sweep->noted_capacity, sweep->n_noted + 1, sizeof(*sweep->noted));
	sweep->noted[sweep->n_noted++] = (struct noted){
		.op = *op,
		.thread = thread,
		.change = first && point->change,
		.counts = point->counts,
		.first = (uint32_t)sweep->noted_at,
		.n = (uint32_t)(first ? point->n : point->n_threads),
		.skip = first && point->skip != SIZE_MAX ? (uint32_t)point->skip : UINT32_MAX,
	};
}

/* The end of a base run: numbers what was written down. */
static void number_noted(struct sweep *sweep)
{
	struct numbering numbering = {.thread = -1};

	rfs_conflicts_collect(&sweep->conflicts, &sweep->found.conflicts);
	for (size_t i = 0; i < sweep->n_noted; i++) {
		const struct noted *noted = &sweep->noted[i];

		/* if the base schedules never part, both are base schedule 0 */
		for (uint32_t k = 0; k < noted->n && (noted->counts || !sweep->found.parted); k++)
			if (k != noted->skip)
				numbering.next[sweep_classify(&numbering, &sweep->found.conflicts, &noted->op,
							      noted->thread, noted->change,
							      &sweep->noted_alternatives[noted->first + k])]++;
		note_executed(&numbering, &sweep->found.conflicts, noted->thread, &noted->op);
	}
	memcpy(sweep->found.counts, numbering.next, sizeof(numbering.next));
	forget_kinds(&numbering);
}

/* ---- a pick ---- */

/* Chooses the alternative. What follows it is numbered from 0. */
static void deviate(struct sweep *sweep, const struct alternative *alternative, const struct rfs_view *view,
		    struct rfs_choice *out)
{
	const struct rfs_thread_view *t;

	sweep->taken++;
	sweep->found.took = true;
	forget_kinds(&sweep->numbering);
	if (alternative->kind == TIME_OUT) {
		out->outcome = RFS_OUTCOME_TIMED_OUT;
	} else if (alternative->kind == OTHER_WAITER) {
		out->waiter = alternative->thread;
	} else {
		t = sweep_find(view, alternative->thread);
		sweep_to_the_end(sweep, out->thread);
		out->thread = t->thread;
		out->outcome = rfs_schedule_outcome(t);
		t = first_waiter(sweep, view, &t->next);
		out->waiter = t ? t->thread : -1;
	}
	sweep->point = (struct point){0};
}

/* How many more operations need no pick, if the other threads stay as they are. */
static uint32_t sweep_keeps_on(const struct sweep *sweep, const struct rfs_thread_view *chosen)
{
	const size_t n = sweep->point.n_threads;
	uint64_t left = sweep->patience - sweep->turn - 1, until;

	if (rfs_candidate_class(chosen) != RFS_CANDIDATE_AWAKE)
		return 0;
	if (n == 0)
		return UINT32_MAX;
	if (sweep->taken < sweep->plan.n && sweep->point.counts) {
		until = sweep->plan.take[sweep->taken].number;
		until -= sweep->numbering.next[sweep->plan.take[sweep->taken].class];
		/* the number has passed: the run is not the one that was planned */
		if (until > UINT32_MAX)
			until = 0;
		left = until / n < left ? until / n : left;
	}
	return left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
}

static int pick_random(struct sweep *sweep, const struct rfs_view *view, struct rfs_choice *out)
{
	rfs_candidates_collect(&sweep->candidates, view, &sweep->rng);
	if (sweep->candidates.n == 0)
		return -EINVAL;
	rfs_candidates_choose(&sweep->candidates, view,
			      sweep->candidates.threads[rfs_rng_below(&sweep->rng, sweep->candidates.n)], &sweep->rng,
			      out);
	if (rfs_candidates_single(view)) {
		out->hint = UINT32_MAX;
		out->steady = true;
	}
	return 0;
}

static int sweep_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct sweep *sweep = opaque;
	const struct rfs_thread_view *chosen, *waiter;
	bool change;
	int alternative = -1;

	if (sweep->plan.kind == RFS_SWEEP_DONE)
		return pick_random(sweep, view, out);
	chosen = sweep_usual(sweep, view, &change);
	if (!chosen)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	out->thread = chosen->thread;
	out->outcome = rfs_schedule_outcome(chosen);
	waiter = first_waiter(sweep, view, &chosen->next);
	out->waiter = waiter ? waiter->thread : -1;
	look_at_point(sweep, view, chosen, change);
	see_parting(sweep, chosen->thread);
	sweep->picked = true;
	if (sweep->plan.kind == RFS_SWEEP_BASE)
		sweep_note_point(sweep, chosen->thread, &chosen->next, true);
	else if (numbers_now(sweep))
		alternative = number_alternatives(sweep, chosen->thread, &chosen->next, change, sweep->point.n);
	sweep->point.counts |= sweep->found.parted;
	if (alternative >= 0)
		deviate(sweep, &sweep->point.list[alternative], view, out);
	if (out->thread != sweep->current || change)
		sweep->turn = 0;
	sweep->current = out->thread;
	swept_of(sweep, out->thread)->passed_over = 0;
	rfs_starving_picked(&sweep->starving, out->thread);
	if (alternative < 0) {
		out->hint = sweep_keeps_on(sweep, chosen);
		out->steady = true;
	}
	return 0;
}

/* ---- events ---- */

/*
 * Whether the operations of the thread can conflict. They cannot before there is a second thread, nor if this thread is
 * the last one and has joined another. If it has joined none, it may be the last one only because it was postponed.
 */
static bool may_conflict(struct sweep *sweep, int thread)
{
	return sweep->created > 1 && (sweep->alive > 1 || !swept_of(sweep, thread)->joined);
}

static void sweep_executed(struct sweep *sweep, int thread, const struct rfs_op *op)
{
	const bool hinted = !sweep->picked;

	sweep->picked = false;
	sweep->turn += sweep->point.n_threads > 0;
	if (sweep->plan.kind == RFS_SWEEP_BASE) {
		if (hinted)
			sweep_note_point(sweep, thread, op, false);
		if (may_conflict(sweep, thread))
			rfs_conflicts_note(&sweep->conflicts, thread, op);
		rfs_key_set_add(&sweep->memory.sites, rfs_key(op->site, 0));
		return;
	}
	if (sweep->taken == 0)
		sweep->found.stale |= !rfs_key_set_has(&sweep->memory.sites, rfs_key(op->site, 0));
	if (!numbers_now(sweep))
		return;
	if (hinted)
		(void)number_alternatives(sweep, thread, op, false, sweep->point.n_threads);
	note_executed(&sweep->numbering, &sweep->memory.bases[sweep->plan.base].conflicts, thread, op);
}

static void sweep_event(void *opaque, const struct rfs_event *event)
{
	struct sweep *sweep = opaque;

	if (event->kind == RFS_EVENT_THREAD) {
		sweep->alive++;
		sweep->created++;
	}
	if (event->kind != RFS_EVENT_OP || event->thread < 0 || sweep->plan.kind == RFS_SWEEP_DONE)
		return;
	if (event->op.kind == RFS_OP_EXIT)
		sweep->alive--;
	if (event->op.kind == RFS_OP_JOIN)
		swept_of(sweep, event->thread)->joined = true;
	if (event->op.kind == RFS_OP_COND_WAIT || event->op.kind == RFS_OP_FUTEX_WAIT)
		sweep_to_the_end(sweep, event->thread);
	sweep_executed(sweep, event->thread, &event->op);
}

/* ---- the end ---- */

static int sweep_save(void *opaque, struct rfs_blob *blob)
{
	struct sweep *sweep = opaque;

	if (sweep->plan.kind == RFS_SWEEP_BASE)
		number_noted(sweep);
	else
		memcpy(sweep->found.counts, sweep->numbering.next, sizeof(sweep->found.counts));
	rfs_sweep_learn(&sweep->memory, &sweep->plan, &sweep->found);
	rfs_sweep_memory_write(&sweep->memory, blob);
	return 0;
}

static void sweep_stats(void *opaque, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	const struct sweep *sweep = opaque;
	const bool done = sweep->plan.kind == RFS_SWEEP_DONE;

	emit(arg, "preempted", sweep->taken);
	emit(arg, "missed", sweep->plan.n - sweep->taken);
	emit(arg, "exhausted", done && !sweep->memory.incomplete);
}

static void sweep_fini(void *opaque)
{
	struct sweep *sweep = opaque;

	rfs_candidates_release(&sweep->candidates);
	rfs_starving_release(&sweep->starving);
	rfs_sweep_memory_release(&sweep->memory);
	rfs_conflicts_release(&sweep->conflicts);
	forget_kinds(&sweep->numbering);
	free(sweep->noted);
	free(sweep->noted_alternatives);
	free(sweep->threads);
	free(sweep);
}

const struct rfs_policy_ops rfs_policy_sweep = {
	.abi = RFS_POLICY_ABI,
	.name = "sweep",
	.summary = "all schedules with one preemption, then with two, one after the other (iterative context bounding, "
		   "PLDI 2007)",
	.flags = RFS_POLICY_NEEDS_BLOB,
	.init = sweep_init,
	.pick = sweep_pick,
	.event = sweep_event,
	.save = sweep_save,
	.stats = sweep_stats,
	.fini = sweep_fini,
};
