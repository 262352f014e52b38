/*
 * atomicity.c - creates one predicted atomicity violation on purpose (AtomFuzzer: Park & Sen, FSE 2008, for the
 * sections of a lock; CTrigger: Park, Lu & Zhou, ASPLOS 2009, for predicted accesses).
 *
 * A thread that has executed the first statement of the pair under test, and has left its section, is
 * postponed before its next section. It stays there until another thread has executed the second statement, the remote
 * one, on the same memory. Otherwise threads are picked at random. Only one thread is postponed in a run, and only
 * once.
 *
 * Where the thread is postponed:
 *
 *  - By default where it acquires a lock again that it held at the first statement. If it held none, at its next
 *    operation on the same memory.
 *  - With `early`, at its first operation after it has released all locks that it held at the first statement. This
 *    helps if the remote thread needs other locks, which the next section is inside of.
 *
 * The remote thread may always come too early. So with `remote`, the thread of this number runs only if no other thread
 * can, until a thread is postponed. After the remote statement, the postponed thread stays for some more operations,
 * because the remote section may continue in other sections. How many is drawn once for each run.
 *
 * A postponed thread is let go if no other thread can run, if the others only spin (spinning.h), or after `patience`
 * operations. In half of the runs, time passes before that, as in racefuzzer, as far as --sleep-race allows
 * (postponed_time.h), and a load driver or a client gets real time to act.
 *
 * Many threads may run the code of the first one, and each of them may end what the remote thread should see. So with
 * `all`, each other thread that comes to this place is postponed as well, until the first of them is let go. The remote
 * thread (`remote`) is not.
 *
 * To test whether the violation is the cause of a failure, `serial` makes the same run up to the moment at which the
 * thread would be postponed. Then this thread runs alone until it has left its second section. `continue` selects the
 * draws after this moment, in both cases.
 *
 * The policy order creates one predicted order violation in the same way. The two statements of the pair came in this
 * order in an observed run. A thread is postponed before it has executed the first one (RFS_AT_HELD), until another
 * thread has executed the second one, on whatever memory. With `remote`, thread N - 1 is never postponed. With
 * `serial`, the thread runs alone until it has executed the first statement. `early` has no effect. Time does not pass
 * while a thread is postponed: a sleep that is too long for a race (--sleep-race) may be what the program relies on.
 * The outside acts in half of the runs, though: the order that the program needs may end with the shutdown of a server.
 *
 * Draws (part of the record format, rng.h). At init, from a separate stream: how many first statements pass before
 * a thread is postponed; whether time passes; how many operations the postponed thread stays. Each pick: a chance for
 * each sleeping thread (candidates.h); the candidate; the draws of rfs_candidates_choose(). A pick at which a thread
 * runs alone draws only the last item.
 *
 * A late close of a descriptor (RFS_AT_ADDRESS) does harm if another file has got the number. So its thread stays, as
 * with `late`, but runs as soon as another thread is about to use that number (RFS_AT_ADDRESS alone).
 *
 * With `same`, the second operation must be on the object of the first one: that thread is postponed at the first
 * operation itself. An operation with a size is on several objects, such as the descriptors of a poll.
 *
 *  patience=N   see above (default 10000)
 *  early=1      see above
 *  remote=N     thread N - 1 waits; 0: none (default)
 *  all=1        see above
 *  skips=1      about every second first statement does not postpone its thread
 *  serial=1     see above
 *  same=1       see above, for the policy order
 *  both=1       the remote thread must execute the second statement on two variables: on the memory of the first one,
 * and elsewhere. With `serial`, the thread runs alone until it has left another section apart=N      of both=1:
 * elsewhere is N bytes behind the memory of the first one; 0: anywhere (default) late=1       after the second
 * statement, the thread stays until no other thread can run, or `patience` is over continue=N   selects the draws after
 * the thread was postponed; 0: they continue (default)
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

#define DEFAULT_PATIENCE 10000
#define OWN_STREAM UINT64_C(0x61746f6d6963)
/* Streams of `continue`. They are not those of other policies with the same seed. */
#define CONTINUE_STREAM UINT64_C(0x6174636f6e740000)
#define LOCKS_MAX 8
#define SKIPS_MAX 6
#define STAYS_MAX 7 /* doublings */
/* A thread that runs alone for this many operations does not reach its second section. */
#define ALONE_MAX 2000

enum moment {
	MOMENT_BEFORE, /* no thread was postponed yet */
	MOMENT_POSTPONED,
	MOMENT_STAYS, /* the remote statement was executed; the thread is postponed a little longer */
	MOMENT_ALONE, /* of `serial`: the thread runs alone */
	MOMENT_OVER,
};

struct held_lock {
	rfs_addr lock;
	unsigned count;
};

struct atomicity_thread {
	struct held_lock locks[LOCKS_MAX]; /* that it holds now */
	size_t n_locks;
	bool has_passed;  /* it has executed the first statement */
	bool is_skipped;  /* policy order: at its present operation, it is not postponed */
	bool is_held;	  /* with `all`: it is postponed too */
	rfs_addr address; /* if it has passed: of the memory */
	uint64_t size;
	unsigned did; /* with `both`, while another thread is postponed: 1: the memory of its first statement; 2:
			 elsewhere */
	rfs_addr then[LOCKS_MAX]; /* the locks that it held there */
	size_t n_then;
};

struct atomicity {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct atomicity_thread *threads; /* by thread number */
	size_t capacity;
	struct rfs_spinning spinning;
	uint64_t seed, patience, early, remote, skips, serial, continuation; /* of this run: see the head of the file */
	uint64_t same, late, both, apart, all;				     /* of this run too */
	bool orders;							     /* the policy is order */
	bool waits;		/* time passes while a thread is postponed */
	bool waits_for_outside; /* the outside acts while a thread is postponed */
	unsigned n_outside;	/* how often it has */
	uint64_t stays;
	enum moment moment;
	int postponed;	 /* the thread, from MOMENT_POSTPONED on */
	rfs_addr object; /* if so, and with `same`: of its operation */
	uint64_t extent; /* and its size */
	uint64_t since;	 /* the step at which the moment began */
	uint64_t until;	 /* while a thread is postponed: the virtual time at which it is let go */
	uint64_t paced;	 /* the same, during one pick: time may pass until then */
	bool again;	 /* in MOMENT_ALONE: the thread is in its second section */
	bool leads;	 /* the remote thread waits */
	struct rfs_time_passes passes;
	uint64_t n_postponed, n_violations, n_releases, n_livelocks;
};

static int atomicity_init(void **out, const struct rfs_policy_args *args)
{
	struct atomicity settings = {.patience = DEFAULT_PATIENCE, .seed = args->seed, .postponed = -1}, *atomicity;
	uint64_t skips = 0;
	const struct rfs_policy_option options[] = {{"patience", &settings.patience, NULL},
						    {"early", &settings.early, NULL},
						    {"remote", &settings.remote, NULL},
						    {"skips", &skips, NULL},
						    {"serial", &settings.serial, NULL},
						    {"continue", &settings.continuation, NULL},
						    {"same", &settings.same, NULL},
						    {"late", &settings.late, NULL},
						    {"both", &settings.both, NULL},
						    {"apart", &settings.apart, NULL},
						    {"all", &settings.all, NULL}};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));
	struct rfs_rng own;

	if (err)
		return err;
	rfs_rng_init_stream(&own, args->seed, OWN_STREAM);
	while (settings.skips < SKIPS_MAX && rfs_rng_chance(&own, 1, 2))
		settings.skips++;
	if (!skips)
		settings.skips = 0;
	settings.waits = settings.waits_for_outside = rfs_rng_chance(&own, 1, 2);
	settings.stays = rfs_rng_chance(&own, 1, 2) ? (uint64_t)2 << rfs_rng_below(&own, STAYS_MAX) : 0;
	if (settings.late)
		settings.stays = settings.patience;
	settings.leads = settings.remote > 0;
	rfs_rng_init(&settings.rng, args->seed);
	atomicity = rfs_policy_zalloc(1, sizeof(*atomicity));
	*atomicity = settings;
	*out = atomicity;
	return 0;
}

static int order_init(void **out, const struct rfs_policy_args *args)
{
	const int err = atomicity_init(out, args);
	struct atomicity *atomicity;

	if (err)
		return err;
	atomicity = *out;
	atomicity->orders = true;
	atomicity->waits = false;
	return 0;
}

static struct atomicity_thread *atomicity_policy_thread_of(struct atomicity *atomicity, int thread)
{
	atomicity->threads = rfs_policy_grow(atomicity->threads, &atomicity->capacity, (size_t)thread + 1,
					     sizeof(*atomicity->threads));
	return &atomicity->threads[thread];
}

/* ---- locks ---- */

static struct held_lock *atomicity_find_lock(struct atomicity_thread *thread, rfs_addr lock)
{
	for (size_t i = 0; i < thread->n_locks; i++)
		if (thread->locks[i].lock == lock)
			return &thread->locks[i];
	return NULL;
}

/* A lock that the thread holds already counts once more, if the call cannot have failed. */
static void atomicity_add_lock(struct atomicity_thread *thread, rfs_addr lock, bool surely)
{
	struct held_lock *held = atomicity_find_lock(thread, lock);

	if (held)
		held->count += surely;
	else if (thread->n_locks < LOCKS_MAX)
		thread->locks[thread->n_locks++] = (struct held_lock){lock, 1};
}

static void drop_lock(struct atomicity_thread *thread, rfs_addr lock, bool wholly)
{
	struct held_lock *held = atomicity_find_lock(thread, lock);

	if (held && (wholly || --held->count == 0))
		*held = thread->locks[--thread->n_locks];
}

static void atomicity_policy_note_locks(struct atomicity_thread *thread, const struct rfs_event *event)
{
	const struct rfs_op *op = &event->op;

	switch (op->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
		if (event->outcome == RFS_OUTCOME_DONE)
			atomicity_add_lock(thread, op->object, true);
		break;
	case RFS_OP_TRYLOCK:
		atomicity_add_lock(thread, op->object, false);
		break;
	case RFS_OP_UNLOCK:
		drop_lock(thread, op->object, false);
		break;
	case RFS_OP_COND_WAIT:
		drop_lock(thread, op->object2, true);
		break;
	case RFS_OP_COND_WAKE:
		atomicity_add_lock(thread, op->object2, true);
		break;
	default:
		break;
	}
}

/* The lock that the operation acquires; 0: none. */
static rfs_addr acquired_by(const struct rfs_op *op)
{
	switch (op->kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
	case RFS_OP_TRYLOCK:
		return op->object;
	case RFS_OP_COND_WAKE:
		return op->object2;
	default:
		return 0;
	}
}

static bool held_then(const struct atomicity_thread *thread, rfs_addr lock)
{
	for (size_t i = 0; i < thread->n_then; i++)
		if (thread->then[i] == lock)
			return true;
	return false;
}

static bool has_left(struct atomicity_thread *thread)
{
	for (size_t i = 0; i < thread->n_then; i++)
		if (atomicity_find_lock(thread, thread->then[i]))
			return false;
	return true;
}

/* ---- the three accesses ---- */

static bool is_same_memory(const struct atomicity_thread *thread, const struct rfs_op *op)
{
	return thread->address - op->object < op->size || op->object - thread->address < thread->size;
}

static void note_first(struct atomicity_thread *thread, const struct rfs_op *op)
{
	thread->has_passed = true;
	thread->address = op->object;
	thread->size = op->size;
	thread->n_then = thread->n_locks;
	for (size_t i = 0; i < thread->n_locks; i++)
		thread->then[i] = thread->locks[i].lock;
}

/* With `same`: whether the operation is on the object of the postponed one, or frees it. */
static bool atomicity_is_same_object(const struct atomicity *atomicity, const struct rfs_op *op)
{
	return !atomicity->same || atomicity->object == op->object || atomicity->object - op->object < op->size ||
	       op->object - atomicity->object < atomicity->extent;
}

/* With `both`: whether the thread has now executed the second statement on both variables. */
static bool has_done_both(struct atomicity *atomicity, const struct rfs_event *event)
{
	const rfs_addr address = atomicity_policy_thread_of(atomicity, atomicity->postponed)->address;
	struct atomicity_thread *remote;
	bool is_first, is_other;

	if (event->thread == atomicity->postponed || !rfs_op_is_access(event->op.kind) || !(event->op.statements & 2))
		return false;
	remote = atomicity_policy_thread_of(atomicity, event->thread);
	is_first = is_same_memory(atomicity_policy_thread_of(atomicity, atomicity->postponed), &event->op);
	/* one instruction may access both */
	is_other = atomicity->apart ? address + atomicity->apart - event->op.object < event->op.size : !is_first;
	remote->did |= (is_first ? 1u : 0) | (is_other ? 2u : 0);
	return remote->did == 3;
}

static bool is_remote(struct atomicity *atomicity, const struct rfs_event *event)
{
	if (atomicity->both)
		return atomicity->postponed >= 0 && has_done_both(atomicity, event);
	if (atomicity->orders)
		return atomicity->postponed >= 0 && event->thread != atomicity->postponed &&
		       (event->op.statements & 2) && atomicity_is_same_object(atomicity, &event->op);
	return atomicity->postponed >= 0 && event->thread != atomicity->postponed && rfs_op_is_access(event->op.kind) &&
	       (event->op.statements & 2) &&
	       is_same_memory(atomicity_policy_thread_of(atomicity, atomicity->postponed), &event->op);
}

/* Whether the postponed thread, which runs alone, has left its second section, or has executed the statement that
 * should come first. */
static bool has_left_again(struct atomicity *atomicity, const struct rfs_op *op)
{
	struct atomicity_thread *thread = atomicity_policy_thread_of(atomicity, atomicity->postponed);

	if (atomicity->orders)
		return op->statements & 1;
	if (atomicity->both) {
		atomicity->again |= thread->n_locks > 0;
		return atomicity->again && thread->n_locks == 0;
	}
	if (!thread->n_then)
		return rfs_op_is_access(op->kind) && is_same_memory(thread, op);
	atomicity->again |= !has_left(thread);
	return atomicity->again && has_left(thread);
}

/* Whether a thread that comes to the place is postponed. */
static bool looks_for_threads(const struct atomicity *atomicity)
{
	return atomicity->moment == MOMENT_BEFORE || (atomicity->all && atomicity->moment == MOMENT_POSTPONED);
}

static void atomicity_event(void *opaque, const struct rfs_event *event)
{
	struct atomicity *atomicity = opaque;
	struct atomicity_thread *thread;

	if (event->kind != RFS_EVENT_OP || event->thread < 0)
		return;
	rfs_spinning_note(&atomicity->spinning, event->thread, &event->op);
	thread = atomicity_policy_thread_of(atomicity, event->thread);
	atomicity_policy_note_locks(thread, event);
	thread->is_skipped = false;
	if (looks_for_threads(atomicity) && rfs_op_is_access(event->op.kind) && (event->op.statements & 1) &&
	    event->thread != atomicity->postponed)
		note_first(thread, &event->op);
	if (atomicity->moment == MOMENT_POSTPONED && is_remote(atomicity, event)) {
		atomicity->moment = MOMENT_STAYS;
		atomicity->n_violations++;
		atomicity->since = UINT64_MAX;
	}
	if (atomicity->moment == MOMENT_ALONE && is_remote(atomicity, event))
		atomicity->moment = MOMENT_OVER; /* the order is the same after all */
	if (atomicity->moment == MOMENT_ALONE && event->thread == atomicity->postponed &&
	    has_left_again(atomicity, &event->op)) {
		atomicity->moment = MOMENT_OVER;
		atomicity->n_violations++;
	}
}

/* ---- picks ---- */

/* Whether the thread, which has executed the first statement, is before its next section. */
static bool is_between(const struct atomicity *atomicity, struct atomicity_thread *thread, const struct rfs_op *next)
{
	const rfs_addr lock = acquired_by(next);

	if (!thread->has_passed || !has_left(thread))
		return lock && thread->has_passed && held_then(thread, lock) && !atomicity_find_lock(thread, lock);
	if (atomicity->early)
		return true;
	return thread->n_then ? lock && held_then(thread, lock)
			      : rfs_op_is_access(next->kind) && is_same_memory(thread, next);
}

/* Whether the thread should be postponed before its next operation. */
static bool is_there(const struct atomicity *atomicity, struct atomicity_thread *thread,
		     const struct rfs_thread_view *view)
{
	if (view->next.kind == RFS_OP_KERNEL)
		return false;
	if (!atomicity->orders)
		return is_between(atomicity, thread, &view->next);
	return (view->next.statements & RFS_AT_HELD) && !thread->is_skipped &&
	       (uint64_t)view->thread + 1 != atomicity->remote;
}

static void atomicity_postpone(struct atomicity *atomicity, const struct rfs_view *view,
			       const struct rfs_thread_view *thread)
{
	atomicity->postponed = thread->thread;
	atomicity->object = thread->next.object;
	atomicity->extent = thread->next.size;
	if (atomicity->orders && thread->next.kind == RFS_OP_SYSCALL && (thread->next.statements & RFS_AT_ADDRESS))
		atomicity->stays = atomicity->patience;
	atomicity->since = view->step;
	atomicity->until = rfs_postponed_until(view);
	atomicity->leads = false;
	atomicity->n_postponed++;
	atomicity->moment = atomicity->serial ? MOMENT_ALONE : MOMENT_POSTPONED;
	rfs_spinning_restart(&atomicity->spinning);
	if (atomicity->continuation)
		rfs_rng_init_stream(&atomicity->rng, atomicity->seed, CONTINUE_STREAM + atomicity->continuation);
}

/* With `all`, while a thread is postponed. */
static void hold_too(struct atomicity *atomicity, struct atomicity_thread *thread, const struct rfs_thread_view *view)
{
	const struct atomicity_thread *first = atomicity_policy_thread_of(atomicity, atomicity->postponed);

	if (view->thread != atomicity->postponed && (uint64_t)view->thread + 1 != atomicity->remote &&
	    thread->address == first->address && is_there(atomicity, thread, view))
		thread->is_held = true;
}

static void look_for_thread(struct atomicity *atomicity, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads && looks_for_threads(atomicity); i++) {
		struct atomicity_thread *thread = atomicity_policy_thread_of(atomicity, view->threads[i].thread);

		if (atomicity->moment == MOMENT_POSTPONED) {
			hold_too(atomicity, thread, &view->threads[i]);
			continue;
		}
		if (!is_there(atomicity, thread, &view->threads[i]))
			continue;
		thread->has_passed = false;
		thread->is_skipped = true;
		if (atomicity->skips) {
			atomicity->skips--;
			continue;
		}
		atomicity_postpone(atomicity, view, &view->threads[i]);
	}
}

static void atomicity_let_go(struct atomicity *atomicity)
{
	atomicity->moment = MOMENT_OVER;
	rfs_spinning_restart(&atomicity->spinning);
}

/* Whether a thread is postponed now. */
static bool is_holding(const struct atomicity *atomicity)
{
	return atomicity->moment == MOMENT_POSTPONED || atomicity->moment == MOMENT_STAYS;
}

/* Ends what has lasted long enough. */
static void atomicity_refresh(struct atomicity *atomicity, const struct rfs_view *view)
{
	const bool spins = atomicity->spinning.sum >= RFS_SPINNING_LIMIT;

	if (spins)
		rfs_spinning_restart(&atomicity->spinning);
	if (atomicity->leads && (spins || view->step > atomicity->patience))
		atomicity->leads = false;
	if (atomicity->moment == MOMENT_STAYS && atomicity->since == UINT64_MAX)
		atomicity->since = view->step;
	if (atomicity->moment == MOMENT_STAYS &&
	    (view->step - atomicity->since >= atomicity->stays || (atomicity->late && spins)))
		atomicity_let_go(atomicity);
	if (atomicity->moment == MOMENT_ALONE && view->step - atomicity->since > ALONE_MAX)
		atomicity->moment = MOMENT_OVER;
	if (atomicity->moment == MOMENT_POSTPONED && (spins || view->step - atomicity->since > atomicity->patience)) {
		atomicity_let_go(atomicity);
		atomicity->n_livelocks++;
	}
	if (is_holding(atomicity) && view->time > atomicity->until) {
		atomicity->n_releases += atomicity->moment == MOMENT_POSTPONED;
		atomicity_let_go(atomicity);
	}
}

static bool atomicity_is_postponed(const struct atomicity *atomicity, int thread)
{
	return is_holding(atomicity) && (thread == atomicity->postponed ||
					 ((size_t)thread < atomicity->capacity && atomicity->threads[thread].is_held));
}

/* Whether the thread may be drawn: it is not postponed, and does not sleep for longer than the postponed one stays. */
static bool atomicity_is_not_postponed(void *opaque, const struct rfs_thread_view *thread)
{
	const struct atomicity *atomicity = opaque;

	return !atomicity_is_postponed(atomicity, thread->thread) &&
	       (!is_holding(atomicity) || rfs_is_due_by(thread, atomicity->paced));
}

/* Not postponed, and not the remote thread that waits. */
static bool atomicity_is_free(void *opaque, const struct rfs_thread_view *thread)
{
	const struct atomicity *atomicity = opaque;

	return atomicity_is_not_postponed(opaque, thread) &&
	       !(atomicity->leads && (uint64_t)thread->thread + 1 == atomicity->remote);
}

/* Makes the sleeping threads candidates, or lets time pass until some are. True if time passes. */
static bool atomicity_let_time_pass(struct atomicity *atomicity, const struct rfs_view *view, struct rfs_choice *out)
{
	rfs_candidates_of_class(&atomicity->candidates, view, RFS_CANDIDATE_SLEEPING, atomicity_is_not_postponed,
				atomicity);
	return atomicity->candidates.n == 0 &&
	       rfs_candidates_pass_time(&atomicity->passes, view, atomicity->paced, out);
}

/* Called if no thread is awake that may run. True if time passes, or the outside acts. */
static bool atomicity_refill(struct atomicity *atomicity, const struct rfs_view *view, struct rfs_choice *out)
{
	struct rfs_candidates *list = &atomicity->candidates;
	const bool postpones = is_holding(atomicity);

	if (atomicity->leads)
		rfs_candidates_awake(list, view, &atomicity->rng, atomicity_is_not_postponed, atomicity);
	if (list->n == 0)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, atomicity_is_not_postponed, atomicity);
	if (list->n == 0 && postpones && atomicity->waits_for_outside &&
	    rfs_postponed_let_outside_act(&atomicity->n_outside, view, out))
		return true;
	if (list->n == 0 && postpones && atomicity->waits && atomicity_let_time_pass(atomicity, view, out))
		return true;
	if (list->n == 0 && postpones) {
		atomicity->n_releases += atomicity->moment == MOMENT_POSTPONED;
		atomicity_let_go(atomicity);
		rfs_candidates_collect(list, view, &atomicity->rng);
	}
	if (list->n == 0)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_SLEEPING, atomicity_is_not_postponed, atomicity);
	return false;
}

/* The thread that runs alone; NULL: there is none, or it must wait. */
static const struct rfs_thread_view *find_alone(const struct atomicity *atomicity, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads && atomicity->moment == MOMENT_ALONE; i++)
		if (view->threads[i].thread == atomicity->postponed)
			return rfs_candidate_class(&view->threads[i]) == RFS_CANDIDATE_AWAKE ? &view->threads[i] : NULL;
	return NULL;
}

/* The late thread, if another one is about to use what is now in the place of its object; otherwise NULL. */
static const struct rfs_thread_view *find_late(struct atomicity *atomicity, const struct rfs_view *view)
{
	const struct rfs_thread_view *late = NULL;
	bool is_used = false;

	for (size_t i = 0; i < view->n_threads && atomicity->orders && atomicity->moment == MOMENT_STAYS; i++) {
		const struct rfs_thread_view *thread = &view->threads[i];

		if (thread->thread == atomicity->postponed)
			late = rfs_candidate_class(thread) == RFS_CANDIDATE_AWAKE ? thread : NULL;
		else
			is_used |= thread->next.statements == RFS_AT_ADDRESS;
	}
	if (!late || !is_used)
		return NULL;
	atomicity_let_go(atomicity);
	return late;
}

static int atomicity_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct atomicity *atomicity = opaque;
	struct rfs_candidates *list = &atomicity->candidates;
	const struct rfs_thread_view *thread;

	if (is_holding(atomicity) && atomicity->spinning.sum >= RFS_SPINNING_LIMIT && atomicity->waits_for_outside &&
	    rfs_postponed_let_outside_act(&atomicity->n_outside, view, out)) {
		rfs_spinning_restart(&atomicity->spinning);
		return 0;
	}
	atomicity_refresh(atomicity, view);
	look_for_thread(atomicity, view);
	atomicity->paced = atomicity->waits_for_outside
				   ? rfs_postponed_paced(atomicity->n_outside, view, atomicity->until)
				   : atomicity->until;
	thread = find_alone(atomicity, view);
	if (!thread)
		thread = find_late(atomicity, view);
	if (!thread) {
		rfs_candidates_awake(list, view, &atomicity->rng, atomicity_is_free, atomicity);
		if (list->n == 0 && atomicity_refill(atomicity, view, out))
			return 0;
		if (list->n == 0)
			return -EINVAL; /* no thread can run: the caller must not call pick then */
		thread = list->threads[rfs_rng_below(&atomicity->rng, list->n)];
	}
	rfs_candidates_choose(&atomicity->candidates, view, thread, &atomicity->rng, out);
	return 0;
}

static void atomicity_stats(void *opaque, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	const struct atomicity *atomicity = opaque;

	emit(arg, "postponed", atomicity->n_postponed);
	emit(arg, "releases", atomicity->n_releases);
	emit(arg, "violations", atomicity->n_violations);
	emit(arg, rfs_policy_counter_key(RFS_COUNTER_LIVELOCKS), atomicity->n_livelocks);
}

static void atomicity_fini(void *opaque)
{
	struct atomicity *atomicity = opaque;

	rfs_candidates_release(&atomicity->candidates);
	free(atomicity->threads);
	free(atomicity);
}

const struct rfs_policy_ops rfs_policy_atomicity = {
	.abi = RFS_POLICY_ABI,
	.name = "atomicity",
	.summary = "creates one predicted atomicity violation (AtomFuzzer, FSE 2008; CTrigger, ASPLOS 2009)",
	.flags = RFS_POLICY_NEEDS_VIOLATION,
	.init = atomicity_init,
	.pick = atomicity_pick,
	.event = atomicity_event,
	.stats = atomicity_stats,
	.fini = atomicity_fini,
};

const struct rfs_policy_ops rfs_policy_order = {
	.abi = RFS_POLICY_ABI,
	.name = "order",
	.summary = "creates one predicted order violation (TSVD, SOSP 2019; Waffle, EuroSys 2023)",
	.flags = RFS_POLICY_NEEDS_VIOLATION,
	.init = order_init,
	.pick = atomicity_pick,
	.event = atomicity_event,
	.stats = atomicity_stats,
	.fini = atomicity_fini,
};
