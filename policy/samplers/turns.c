/*
 * turns.c - executes whole calls in a given order: a linearisation of a generated test (supervisor/generate). No list
 * names this policy, because the program must be the driver of generated tests.
 *
 * The driver posts a semaphore before it creates its threads, and each thread posts it after each of its calls. So the
 * first semaphore that the first thread posts marks the ends of calls. The thread whose turn it is runs until such a
 * mark. If it cannot continue, because its call waits for another one, the other threads run until it can. A turn that
 * another thread has taken meanwhile is over.
 *
 * Draws (part of the record format, rng.h): in each pick without a thread that has the turn and can run, as the policy
 * random does.
 *
 *  order=N     the order of the turns, as decimal digits: threads by number (1221)
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"
#include "policy/samplers/candidates.h"

#define MAX_TURNS 20 /* decimal digits of a 64-bit number */

struct turns {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	int order[MAX_TURNS];		  /* those that are left */
	size_t n;
	rfs_addr mark; /* the semaphore; 0: not known yet */
};

static int turns_init(void **out, const struct rfs_policy_args *args)
{
	struct turns settings = {0}, *turns;
	uint64_t order = 0;
	const struct rfs_policy_option options[] = {{"order", &order, NULL}};
	int error = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (error)
		return error;
	for (uint64_t rest = order; rest; rest /= 10)
		settings.n++;
	for (size_t i = settings.n; i-- > 0; order /= 10)
		settings.order[i] = (int)(order % 10);
	turns = rfs_policy_zalloc(1, sizeof(*turns));
	*turns = settings;
	rfs_rng_init(&turns->rng, args->seed);
	*out = turns;
	return 0;
}

static void end_turn(struct turns *turns, int thread)
{
	for (size_t i = 0; i < turns->n; i++) {
		if (turns->order[i] != thread)
			continue;
		turns->n--;
		memmove(&turns->order[i], &turns->order[i + 1], (turns->n - i) * sizeof(*turns->order));
		return;
	}
}

static void turns_event(void *opaque, const struct rfs_event *event)
{
	struct turns *turns = opaque;

	if (event->kind != RFS_EVENT_OP || event->op.kind != RFS_OP_SEM_POST)
		return;
	if (!turns->mark && event->thread == 0)
		turns->mark = event->op.object;
	else if (event->op.object == turns->mark)
		end_turn(turns, event->thread);
}

/* The first thread first, because it creates the others. Then the one that has the turn. NULL: it cannot continue. */
static const struct rfs_thread_view *wanted(const struct turns *turns, const struct rfs_view *view)
{
	const struct rfs_thread_view *found = NULL;

	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];

		if (rfs_candidate_class(t) != RFS_CANDIDATE_AWAKE)
			continue;
		if (t->thread == 0)
			return t;
		if (turns->n && t->thread == turns->order[0])
			found = t;
	}
	return found;
}

static int turns_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct turns *turns = opaque;
	const struct rfs_thread_view *t = wanted(turns, view);

	if (!t) {
		rfs_candidates_collect(&turns->candidates, view, &turns->rng);
		if (turns->candidates.n == 0)
			return -EINVAL; /* no thread can run: the caller must not call pick then */
		t = turns->candidates.threads[rfs_rng_below(&turns->rng, turns->candidates.n)];
	}
	rfs_candidates_choose(view, t, &turns->rng, out);
	return 0;
}

static void turns_fini(void *opaque)
{
	struct turns *turns = opaque;

	rfs_candidates_release(&turns->candidates);
	free(turns);
}

const struct rfs_policy_ops rfs_policy_turns = {
	.abi = RFS_POLICY_ABI,
	.name = "turns",
	.summary = "whole calls of a generated test in a given order",
	.init = turns_init,
	.pick = turns_pick,
	.event = turns_event,
	.fini = turns_fini,
};
