/*
 * turns.c - executes whole calls in a given order: a linearisation of a generated test (supervisor/generate). No list
 * names this policy, because the program must be the driver of generated tests.
 *
 * The driver posts a semaphore before it creates its threads, and each thread posts it after each of its calls. So the
 * semaphore that the first thread posts last marks the ends of calls. What the library posts and creates before that,
 * in the prefix, does not count. The two threads that the first thread creates after that take turns. The one whose
 * turn it is runs until such a mark. If its call waits, threads of the library run. If none of them can run, the other
 * thread executes a whole call before the waiting call continues.
 *
 * A run saves the sites at which the threads other than the first one used the same memory in a conflicting way, as an
 * array of rfs_site. Only concurrent accesses there can lead to another outcome than those of sequential orders.
 *
 * Counter: steps, the operations of these threads.
 *
 * Draws (part of the record format, rng.h): as the policy random does, in each pick in which the thread whose turn it
 * is cannot run.
 *
 *  order=N     the order of the turns, as decimal digits: 1 is the thread that is created first (1221)
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/choice/candidates.h"
#include "policy/choice/conflicts.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

#define MAX_TURNS 20 /* decimal digits of a 64-bit number */

struct turns {
	struct rfs_rng rng;
	struct rfs_candidates candidates;	/* valid during one pick; kept to reuse its memory */
	int whole[MAX_TURNS], order[MAX_TURNS]; /* all turns, and those that are left */
	size_t n_whole, n;
	rfs_addr mark;	/* the semaphore; 0: not known yet */
	int threads[2]; /* that take turns; 0: not created yet */
	int running;	/* the one that is inside a call; 0: none */
	struct rfs_conflicts conflicts;
	uint64_t n_steps; /* of threads other than the first one, since the mark is known */
};

/* Calls that end post this semaphore. */
static void turns_begin(struct turns *turns, rfs_addr mark)
{
	turns->mark = mark;
	turns->threads[0] = turns->threads[1] = turns->running = 0;
	turns->n = turns->n_whole;
	turns->n_steps = 0;
	memcpy(turns->order, turns->whole, sizeof(turns->order));
}

static int turns_init(void **out, const struct rfs_policy_args *args)
{
	struct turns settings = {0}, *turns;
	uint64_t order = 0;
	const struct rfs_policy_option options[] = {{"order", &order, NULL}};
	int error = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (error)
		return error;
	for (uint64_t rest = order; rest; rest /= 10)
		settings.n_whole++;
	for (size_t i = settings.n_whole; i-- > 0; order /= 10)
		settings.whole[i] = (int)(order % 10);
	turns_begin(&settings, 0);
	turns = rfs_policy_zalloc(1, sizeof(*turns));
	*turns = settings;
	turns->conflicts.with_sites = true;
	rfs_rng_init(&turns->rng, args->seed);
	*out = turns;
	return 0;
}

/* 1 or 2; 0 for another thread. */
static int turns_digit_of(const struct turns *turns, int thread)
{
	return thread == 0 ? 0 : thread == turns->threads[0] ? 1 : thread == turns->threads[1] ? 2 : 0;
}

static void end_turn(struct turns *turns, int digit)
{
	for (size_t i = 0; i < turns->n; i++) {
		if (turns->order[i] != digit)
			continue;
		turns->n--;
		memmove(&turns->order[i], &turns->order[i + 1], (turns->n - i) * sizeof(*turns->order));
		return;
	}
}

static void turns_event(void *opaque, const struct rfs_event *event)
{
	struct turns *turns = opaque;

	if (event->kind == RFS_EVENT_THREAD && turns->mark && event->op.peer == 0) {
		if (turns->threads[0] == 0)
			turns->threads[0] = event->thread;
		else if (turns->threads[1] == 0)
			turns->threads[1] = event->thread;
		return;
	}
	if (event->kind != RFS_EVENT_OP)
		return;
	/* what the first thread does happens before or after all that the threads of the test do */
	if (event->thread != 0) {
		rfs_conflicts_note(&turns->conflicts, event->thread, &event->op);
		turns->n_steps++;
	}
	if (event->op.kind != RFS_OP_SEM_POST)
		return;
	if (event->thread == 0) {
		turns_begin(turns, event->op.object);
	} else if (event->op.object == turns->mark) {
		end_turn(turns, turns_digit_of(turns, event->thread));
		turns->running = 0;
	}
}

static const struct rfs_thread_view *awake(const struct rfs_view *view, int thread)
{
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].thread == thread && rfs_candidate_class(&view->threads[i]) == RFS_CANDIDATE_AWAKE)
			return &view->threads[i];
	return NULL;
}

/* Begins or continues a call. digit: 1 or 2. NULL: this thread cannot run. */
static const struct rfs_thread_view *turns_take_turn(struct turns *turns, const struct rfs_view *view, int digit)
{
	int thread = turns->threads[digit - 1];
	const struct rfs_thread_view *found = thread ? awake(view, thread) : NULL;

	if (found)
		turns->running = thread;
	return found;
}

static bool is_of_library(void *arg, const struct rfs_thread_view *thread)
{
	return thread->thread != 0 && !turns_digit_of(arg, thread->thread);
}

static const struct rfs_thread_view *turns_draw(struct turns *turns)
{
	return turns->candidates.n ? turns->candidates.threads[rfs_rng_below(&turns->rng, turns->candidates.n)] : NULL;
}

/*
 * Chooses the first of these that can run: the first thread, because it creates the others; the thread inside a call,
 * or the thread whose turn it is if there is none; a thread of the library, because the call may wait for it; the other
 * thread, which then executes a whole call. NULL: no thread can run.
 */
static const struct rfs_thread_view *turns_choose(struct turns *turns, const struct rfs_view *view)
{
	const struct rfs_thread_view *found = awake(view, 0);
	int turn = turns->n ? turns->order[0] : 1;

	if (!found)
		found = turns->running ? awake(view, turns->running) : turns_take_turn(turns, view, turn);
	if (!found) {
		rfs_candidates_awake(&turns->candidates, view, &turns->rng, is_of_library, turns);
		found = turns_draw(turns);
	}
	for (int digit = 1; !found && digit <= 2; digit++)
		found = turns_take_turn(turns, view, digit);
	if (!found) {
		rfs_candidates_collect(&turns->candidates, view, &turns->rng);
		found = turns_draw(turns);
	}
	return found;
}

static int turns_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct turns *turns = opaque;
	const struct rfs_thread_view *t = turns_choose(turns, view);

	if (!t)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	rfs_candidates_choose(&turns->candidates, view, t, &turns->rng, out);
	return 0;
}

static int turns_save(void *opaque, struct rfs_blob *blob)
{
	const struct turns *turns = opaque;
	size_t n;

	blob->data = rfs_conflicts_sites(&turns->conflicts, &n);
	blob->size = n * sizeof(rfs_site);
	return 0;
}

static void turns_stats(void *opaque, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	const struct turns *turns = opaque;

	emit(arg, "steps", turns->n_steps);
}

static void turns_fini(void *opaque)
{
	struct turns *turns = opaque;

	rfs_conflicts_release(&turns->conflicts);
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
	.save = turns_save,
	.stats = turns_stats,
	.fini = turns_fini,
};
