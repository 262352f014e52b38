/*
 * atom.c - looks for blocks that should be atomic and are not, after AtomFuzzer (Park & Sen, Randomized Active
 * Atomicity Violation Detection in Concurrent Programs, FSE 2008).
 *
 * A program often reads something under a lock, releases the lock, and takes it again to act on what it has read. The
 * same happens with two locks, with two atomic operations, and around a condition wait. The bug shows if another thread
 * comes between. So a thread that has left such a section is postponed with probability 1/2 before it enters the next
 * one, until no other thread can run, or the others only spin (spinning.h). Otherwise threads are drawn at random. A
 * thread that goes on after a yield or sleep (candidates.h) is not postponed.
 *
 * AtomFuzzer postpones in the middle of a block that the user has declared atomic, and waits for a thread that enters a
 * section of the same lock. Here nobody has declared anything, so each gap between two sections counts.
 *
 * Draws (part of the record format, rng.h). Each pick draws, in this order: what awake of candidates.h draws; whether
 * each thread is postponed that is new before a section, ascending; the candidate; if there is none, the postponed
 * thread to let go; those of rfs_candidates_choose().
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/choice/postponed_time.h"
#include "policy/choice/spinning.h"
#include "policy/core/alloc.h"
#include "policy/core/op.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

/* A thread may wait for a postponed one in a loop that spinning.h does not recognise. */
#define DEFAULT_PATIENCE 1000

enum gap {
	GAP_NEW, /* nothing is drawn for the next operation */
	GAP_GOES_ON,
	GAP_POSTPONED,
};

struct atom_thread {
	bool left; /* it has left a section */
	enum gap gap;
	uint64_t since; /* if postponed: view->step when it was */
	uint64_t until; /* and the virtual time at which it is let go */
};

struct atom {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct atom_thread *threads;	  /* by thread number */
	size_t capacity;
	uint64_t patience, spin_limit;
	struct rfs_spinning spinning; /* since a thread was let go */
};

static int atom_init(void **out, const struct rfs_policy_args *args)
{
	struct atom *atom;
	uint64_t patience = DEFAULT_PATIENCE;
	const struct rfs_policy_option options[] = {{"patience", &patience, NULL}};
	int err = rfs_policy_options_parse(args->options, options, 1);

	if (err)
		return err;
	atom = rfs_policy_zalloc(1, sizeof(*atom));
	atom->patience = patience;
	atom->spin_limit = RFS_SPINNING_LIMIT;
	rfs_rng_init(&atom->rng, args->seed);
	*out = atom;
	return 0;
}

static struct atom_thread *atom_thread_of(struct atom *atom, int thread)
{
	atom->threads = rfs_policy_grow(atom->threads, &atom->capacity, (size_t)thread + 1, sizeof(*atom->threads));
	return &atom->threads[thread];
}

/* Whether the operation enters a section. An access that is an operation counts as a whole section. */
static bool atom_enters(const struct rfs_op *op)
{
	switch (op->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
	case RFS_OP_TRYLOCK:
	case RFS_OP_COND_WAKE:
	case RFS_OP_SEM_WAIT:
		return true;
	default:
		return rfs_op_is_access(op->kind);
	}
}

static bool leaves(const struct rfs_op *op)
{
	return op->kind == RFS_OP_UNLOCK || op->kind == RFS_OP_COND_WAIT || op->kind == RFS_OP_SEM_POST ||
	       rfs_op_is_access(op->kind);
}

static void atom_event(void *opaque, const struct rfs_event *event)
{
	struct atom *atom = opaque;
	struct atom_thread *thread;

	if (event->kind != RFS_EVENT_OP || event->thread < 0)
		return;
	rfs_spinning_note(&atom->spinning, event->thread, &event->op);
	thread = atom_thread_of(atom, event->thread);
	thread->gap = GAP_NEW;
	thread->left |= leaves(&event->op);
}

/* The threads that run only spin: they may wait for a postponed one. */
static void end_spinning(struct atom *atom)
{
	bool postponed = false;

	for (size_t i = 0; i < atom->capacity; i++)
		if (atom->threads[i].gap == GAP_POSTPONED) {
			atom->threads[i].gap = GAP_GOES_ON;
			postponed = true;
		}
	if (postponed)
		atom->spin_limit = rfs_spinning_next_limit(atom->spin_limit);
	rfs_spinning_restart(&atom->spinning);
}

/* Draws for each thread that is new before a section. Lets those go that were postponed for too long. */
static void draw_gaps(struct atom *atom, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];
		struct atom_thread *thread = atom_thread_of(atom, t->thread);

		if (thread->gap == GAP_POSTPONED &&
		    (view->step - thread->since > atom->patience || view->time > thread->until))
			thread->gap = GAP_GOES_ON;
		if (thread->gap != GAP_NEW || !thread->left || !atom_enters(&t->next) ||
		    rfs_candidate_class(t) == RFS_CANDIDATE_NONE)
			continue;
		if (rfs_candidates_goes_on(&atom->candidates, t->thread))
			thread->gap = GAP_GOES_ON;
		else
			thread->gap = rfs_rng_chance(&atom->rng, 1, 2) ? GAP_POSTPONED : GAP_GOES_ON;
		thread->since = view->step;
		thread->until = rfs_postponed_until(view);
	}
}

static bool atom_goes_on(void *atom, const struct rfs_thread_view *thread)
{
	return atom_thread_of(atom, thread->thread)->gap != GAP_POSTPONED;
}

static bool is_in_gap(void *atom, const struct rfs_thread_view *thread)
{
	enum rfs_candidate_class class = rfs_candidate_class(thread);

	return !atom_goes_on(atom, thread) && class != RFS_CANDIDATE_NONE && class != RFS_CANDIDATE_SLEEPING;
}

static int atom_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct atom *atom = opaque;
	struct rfs_candidates *list = &atom->candidates;
	const struct rfs_thread_view *t;

	if (atom->spinning.sum >= atom->spin_limit)
		end_spinning(atom);
	rfs_candidates_awake(list, view, &atom->rng, NULL, NULL);
	draw_gaps(atom, view);
	for (size_t i = list->n; i-- > 0;)
		if (!atom_goes_on(atom, list->threads[i]))
			rfs_candidates_remove(list, i);
	if (list->n == 0)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, atom_goes_on, atom);
	if (list->n == 0)
		rfs_candidates_all(list, view, is_in_gap, atom);
	if (list->n == 0)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_SLEEPING, NULL, NULL);
	if (list->n == 0)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	t = list->threads[rfs_rng_below(&atom->rng, list->n)];
	rfs_candidates_choose(&atom->candidates, view, t, &atom->rng, out);
	rfs_candidates_alone(view, out);
	return 0;
}

static void atom_fini(void *opaque)
{
	struct atom *atom = opaque;

	rfs_candidates_release(&atom->candidates);
	free(atom->threads);
	free(atom);
}

const struct rfs_policy_ops rfs_policy_atom = {
	.abi = RFS_POLICY_ABI,
	.name = "atom",
	.summary = "postpones threads between two critical sections, for broken atomic blocks (AtomFuzzer, FSE 2008)",
	.init = atom_init,
	.pick = atom_pick,
	.event = atom_event,
	.fini = atom_fini,
};
