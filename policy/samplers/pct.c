/*
 * pct.c - probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi & Nagarakatte, A Randomized Scheduler with
 * Probabilistic Guarantees of Finding Bugs, ASPLOS 2010, figure 4).
 *
 * Threads have random priorities, and the enabled thread with the highest priority runs. At depth - 1 random steps, the
 * change points, the thread that made the step gets a priority below all initial ones: -1 - i at change point i. A bug
 * that needs `depth` ordered operations is found with probability at least 1 / (n * k^(depth - 1)), for n threads and k
 * steps.
 *
 * n need not be known: a new thread gets a fresh random number as its priority, so its rank among the others is
 * uniform. k is the option `steps`, or otherwise the largest number of operations of any run so far (pct_save()). If k
 * is unknown, as in the first run, there are no change points.
 *
 * Three differences from the paper let programs with spinning or yielding threads terminate:
 *
 *  - A thread that yields falls below all others, unless it goes on (candidates.h).
 *  - So does a running thread if it starves another one: that thread could have run at more than `patience` picks since
 *    its last operation. These picks count even if different threads ran, because a third thread that sometimes wakes
 *    up would otherwise hide a loop. A thread that can run only now and then may also starve (starving.h).
 *  - Sleeping threads are handled as candidates.h describes.
 *
 * Draws (part of the record format, rng.h): pct_init() draws the steps of the change points, from point 0 on. Each pick
 * draws those of rfs_candidates_collect(), then a priority for each new thread, ascending, then those of
 * rfs_candidates_choose().
 *
 * Options:
 *
 *  depth=D     number of ordered operations of the bugs to look for, 1 to 100 (default 3)
 *  steps=K     k, at least 1
 *  patience=N  see above (default 10000)
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/choice/candidates.h"
#include "policy/choice/starving.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

#define DEFAULT_DEPTH 3
#define MAX_DEPTH 100
#define DEFAULT_PATIENCE 10000

/* Initial priorities are 0 or above. Those from change points are -1 to -MAX_DEPTH. A thread that gives way gets one
 * below GAVE_WAY. */
#define GAVE_WAY (-1000)

struct prioritised {
	bool seen;
	int64_t priority;
	uint64_t waited;  /* number of picks since its last operation at which it could have run */
	bool passed_over; /* at the last pick it was a candidate, but another thread was picked */
};

/* What a run saves for the next one. */
struct pct_memory {
	char magic[8];
	uint64_t steps; /* largest number of operations of any run so far */
};
static const char magic[8] = "rfspct1";

struct pct {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct rfs_starving starving;
	struct prioritised *threads; /* by thread number */
	size_t capacity;
	uint64_t change_points[MAX_DEPTH];
	size_t n_change_points;
	int64_t lowest;			  /* lowest priority of a thread that gave way */
	int last;			  /* the thread picked last; -1 before the first pick */
	bool last_gives_way, last_yields; /* it starves another thread; its operation was a yield */
	uint64_t patience;
	uint64_t at;	    /* view->step at the last pick */
	uint64_t executed;  /* operations of `last` since that pick; above 1 if it had a hint */
	uint64_t max_steps; /* largest number of operations of any earlier run */
};

static int pct_take_blob(const struct rfs_blob *blob, uint64_t *steps)
{
	struct pct_memory memory;

	if (!blob || !blob->size)
		return 0;
	if (blob->size != sizeof(memory))
		return -EINVAL;
	memcpy(&memory, blob->data, sizeof(memory));
	if (memcmp(memory.magic, magic, sizeof(magic)) != 0)
		return -EINVAL;
	*steps = memory.steps;
	return 0;
}

static int pct_init(void **out, const struct rfs_policy_args *args)
{
	struct pct settings = {.patience = DEFAULT_PATIENCE, .lowest = GAVE_WAY, .last = -1}, *pct;
	uint64_t depth = DEFAULT_DEPTH, steps = 0;
	bool given = false;
	const struct rfs_policy_option options[] = {
		{"depth", &depth, NULL},
		{"steps", &steps, &given},
		{"patience", &settings.patience, NULL},
	};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (!err)
		err = pct_take_blob(args->blob, &settings.max_steps);
	if (err)
		return err;
	if (depth < 1 || depth > MAX_DEPTH || (given && steps == 0))
		return -EINVAL;
	if (!given)
		steps = settings.max_steps;
	pct = rfs_policy_zalloc(1, sizeof(*pct));
	*pct = settings;
	pct->starving.patience = pct->patience;
	rfs_rng_init(&pct->rng, args->seed);
	if (steps) {
		pct->n_change_points = depth - 1;
		for (size_t i = 0; i < pct->n_change_points; i++)
			pct->change_points[i] = 1 + rfs_rng_below(&pct->rng, steps);
	}
	*out = pct;
	return 0;
}

static struct prioritised *pct_of(struct pct *pct, int thread)
{
	pct->threads = rfs_policy_grow(pct->threads, &pct->capacity, (size_t)thread + 1, sizeof(*pct->threads));
	return &pct->threads[thread];
}

/* Lowers the priority of the thread that ran last, if its step was a change point, if it gives way, or if it has
 * yielded and does not go on. */
static void fall(struct pct *pct, const struct rfs_view *view)
{
	if (pct->last < 0)
		return;
	for (size_t i = 0; i < pct->n_change_points; i++) {
		if (pct->change_points[i] == view->step)
			pct_of(pct, pct->last)->priority = -1 - (int64_t)i;
	}
	if (pct->last_gives_way || (pct->last_yields && !rfs_candidates_goes_on(&pct->candidates, pct->last)))
		pct_of(pct, pct->last)->priority = --pct->lowest;
}

/*
 * Counts this pick for the candidates that are not picked. True if one of them has waited for too long, so that the
 * picked thread must give way. Then one thread gives way for all that wait.
 */
static bool starves_others(struct pct *pct, const struct rfs_view *view, const struct rfs_thread_view *picked)
{
	bool relieved = pct_of(pct, picked->thread)->waited > pct->patience;
	const struct rfs_thread_view *starving = rfs_starving_first(&pct->starving, view);
	bool starves = starving && starving != picked;

	for (size_t i = 0; i < pct->candidates.n; i++) {
		struct prioritised *thread = pct_of(pct, pct->candidates.threads[i]->thread);

		thread->passed_over = pct->candidates.threads[i] != picked;
		thread->waited = relieved || !thread->passed_over ? 0 : thread->waited + 1;
		starves |= thread->waited > pct->patience;
	}
	return starves;
}

/* Counts the picks that a hint made unnecessary. A thread passed over at the last pick would also have been passed over
 * at these. */
static void catch_up(struct pct *pct)
{
	for (size_t i = 0; i < pct->capacity && pct->executed > 1; i++)
		if (pct->threads[i].passed_over)
			pct->threads[i].waited += pct->executed - 1;
}

/* How many more operations the same thread would be picked for if the candidates stay the same. */
static uint32_t pct_keeps_on(const struct pct *pct, const struct rfs_view *view)
{
	uint64_t left = UINT32_MAX;

	if (pct->last_gives_way || pct->last_yields || rfs_candidates_goes_on(&pct->candidates, pct->last))
		return 0; /* the next pick has something to draw */
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct prioritised *thread = &pct->threads[view->threads[i].thread];

		if (rfs_candidate_class(&view->threads[i]) == RFS_CANDIDATE_SLEEPING)
			return 0; /* it has a new chance to be a candidate at each pick */
		if (thread->passed_over && pct->patience - thread->waited < left)
			left = pct->patience - thread->waited;
	}
	for (size_t i = 0; i < pct->n_change_points; i++)
		if (pct->change_points[i] > view->step && pct->change_points[i] - view->step - 1 < left)
			left = pct->change_points[i] - view->step - 1;
	return (uint32_t)left;
}

static const struct rfs_thread_view *highest(struct pct *pct)
{
	const struct rfs_thread_view *best = pct->candidates.threads[0];

	for (size_t i = 1; i < pct->candidates.n; i++) {
		const struct rfs_thread_view *t = pct->candidates.threads[i];

		if (pct_of(pct, t->thread)->priority > pct_of(pct, best->thread)->priority)
			best = t;
	}
	return best;
}

static int pct_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct pct *pct = opaque;
	const struct rfs_thread_view *t;

	rfs_candidates_collect(&pct->candidates, view, &pct->rng);
	if (pct->candidates.n == 0)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	catch_up(pct);
	for (size_t i = 0; i < view->n_threads; i++) {
		struct prioritised *thread = pct_of(pct, view->threads[i].thread);

		if (!thread->seen)
			*thread =
				(struct prioritised){.seen = true, .priority = (int64_t)(rfs_rng_next(&pct->rng) >> 1)};
		thread->passed_over = false;
	}
	fall(pct, view);
	t = highest(pct);
	pct->last = t->thread;
	pct->last_gives_way = starves_others(pct, view, t);
	pct->last_yields = t->next.kind == RFS_OP_YIELD;
	pct->at = view->step;
	pct->executed = 0;
	rfs_starving_picked(&pct->starving, t->thread);
	rfs_candidates_choose(&pct->candidates, view, t, &pct->rng, out);
	out->hint = pct_keeps_on(pct, view);
	out->steady = true;
	return 0;
}

static void pct_event(void *opaque, const struct rfs_event *event)
{
	struct pct *pct = opaque;

	if (event->kind != RFS_EVENT_OP || event->thread != pct->last)
		return;
	if (pct->executed++ && event->op.kind == RFS_OP_YIELD)
		pct->last_yields = true;
}

static int pct_save(void *opaque, struct rfs_blob *blob)
{
	const struct pct *pct = opaque;
	struct pct_memory *memory = rfs_policy_zalloc(1, sizeof(*memory));
	uint64_t steps;

	memcpy(memory->magic, magic, sizeof(magic));
	steps = pct->last < 0 ? 0 : pct->at + (pct->executed > 1 ? pct->executed : 1);
	memory->steps = steps > pct->max_steps ? steps : pct->max_steps;
	*blob = (struct rfs_blob){memory, sizeof(*memory)};
	return 0;
}

static void pct_fini(void *opaque)
{
	struct pct *pct = opaque;

	rfs_candidates_release(&pct->candidates);
	rfs_starving_release(&pct->starving);
	free(pct->threads);
	free(pct);
}

const struct rfs_policy_ops rfs_policy_pct = {
	.abi = RFS_POLICY_ABI,
	.name = "pct",
	.summary = "random thread priorities that change a few times: for bugs that need few steps in a certain order "
		   "(PCT, ASPLOS 2010)",
	.init = pct_init,
	.pick = pct_pick,
	.event = pct_event,
	.save = pct_save,
	.fini = pct_fini,
};
