/* misuse.c - a function for each kind of call. misuse_objects.c compares objects with what they were before. */
#include "supervisor/state/findings/misuse.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/model/cond.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/wait.h"
#include "supervisor/record/misuse.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/misuse-priv.h"
#include "supervisor/symbols/place.h"
#include "tracer/tracer.h"
#include "tracer/unwind.h"

/* The most mistakes that a run keeps. */
#define MISUSES_MAX 64
#define STACK_FRAMES 24

/* The frames begin with the call, not with the function that is called. frames[1] is the return address of the call. */
static void take_frames(struct rfs_run *run, rfs_addr *frames, size_t n, struct rfs_place **out, size_t *n_out)
{
	if (n < 2 || !frames[1])
		return;
	frames[1]--; /* this is in the call before the return address */
	*out = xcalloc(n - 1, sizeof(**out));
	for (size_t i = 1; i < n; i++)
		rfs_place_of(run, frames[i], &(*out)[(*n_out)++]);
}

/* One frame if the site is known. Otherwise the stack of the thread, which is at a function's entry or waits in it. */
static void misuse_take_stack(struct rfs_run *run, const struct rfs_thread *thread, bool calls, rfs_site site,
			      struct rfs_place **out, size_t *n)
{
	rfs_addr frames[STACK_FRAMES + 1] = {0};

	if (site) {
		frames[1] = rfs_site_address(run, site);
		take_frames(run, frames, 2, out, n);
	} else if (calls) {
		take_frames(run, frames, rfs_thread_stack(thread, frames, STACK_FRAMES + 1), out, n);
	}
}

bool rfs_misuse_frame(const struct rfs_thread *thread, const struct rfs_thread *owner, rfs_addr object,
		      struct rfs_stack_frame *out)
{
	/* it may have stopped at a call that is no operation, so it is not parked */
	if (owner == thread && owner->state != RFS_STATE_PARKED)
		return owner->task && rfs_thread_frame_at(owner, rfs_task_regs(owner->task)->rip, object, out);
	return rfs_thread_frame(owner, object, out);
}

/* Describes the object. If it is on a stack, its frame says which variable it is. */
static void describe_object(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_misuse_note *note,
			    struct rfs_object *out)
{
	struct rfs_stack_frame frame;

	rfs_describe(run, note->object, out);
	if (out->kind != RFS_MEMORY_STACK || out->place.module)
		return;
	if (note->frame.cfa)
		frame = note->frame;
	else if (!note->calls || note->site ||
		 !rfs_misuse_frame(thread, run->threads[out->thread], note->object, &frame))
		return;
	rfs_place_of(run, frame.code, &out->place);
	out->below_cfa = frame.cfa - note->object;
}

/*
 * Whether the use is of the same object in the same call of a function as the earlier one: if the object was never
 * initialised, no use of it can be right.
 */
static bool is_consequence(const struct rfs_misuse *misuse, const struct rfs_misuse *earlier)
{
	if (misuse->kind != RFS_MISUSE_UNINITIALISED || earlier->kind != misuse->kind ||
	    misuse->object.address != earlier->object.address || misuse->n_stack < 2 ||
	    misuse->n_stack != earlier->n_stack)
		return false;
	for (size_t i = 1; i < misuse->n_stack; i++)
		if (!rfs_place_is_same(&misuse->stack[i], &earlier->stack[i]))
			return false;
	return true;
}

void rfs_misuse_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_misuse_note *note)
{
	struct rfs_run_result *result = run->result;
	const struct rfs_thread *other = note->other ? note->other : thread;
	struct rfs_misuse misuse = {.kind = note->kind,
				    .thread = thread->number,
				    .other = note->other ? note->other->number : -1,
				    .error = note->error,
				    .is = note->is,
				    .used_as = note->used_as,
				    .earlier_is = note->earlier_is};
	rfs_addr frames[RFS_OBJECT_STACK];

	if (result->n_misuses == MISUSES_MAX)
		return;
	if (note->n_stack > 1) {
		memcpy(frames, note->stack, note->n_stack * sizeof(*frames));
		take_frames(run, frames, note->n_stack, &misuse.stack, &misuse.n_stack);
	} else {
		misuse_take_stack(run, thread, note->calls, note->site, &misuse.stack, &misuse.n_stack);
	}
	if (note->n_earlier_stack > 1) {
		memcpy(frames, note->earlier_stack, note->n_earlier_stack * sizeof(*frames));
		take_frames(run, frames, note->n_earlier_stack, &misuse.earlier, &misuse.n_earlier);
	} else {
		misuse_take_stack(run, other, note->earlier_is == RFS_EARLIER_WAITS, note->earlier, &misuse.earlier,
				  &misuse.n_earlier);
	}
	if (note->object)
		describe_object(run, thread, note, &misuse.object);
	if (note->earlier_frame)
		rfs_place_of(run, note->earlier_frame, &misuse.earlier_frame);
	for (size_t i = 0; i < result->n_misuses; i++) {
		if (rfs_misuse_is_same(&result->misuses[i], &misuse) || is_consequence(&misuse, &result->misuses[i])) {
			rfs_misuse_release(&misuse);
			return;
		}
	}
	result->misuses = xreallocarray(result->misuses, result->n_misuses + 1, sizeof(*result->misuses));
	result->misuses[result->n_misuses++] = misuse;
}

static const struct rfs_hold *hold_in(const struct rfs_thread *thread, rfs_addr low, rfs_addr high)
{
	for (size_t i = 0; i < thread->sync.n_holds; i++)
		if (thread->sync.holds[i].lock >= low && thread->sync.holds[i].lock < high)
			return &thread->sync.holds[i];
	return NULL;
}

/* Whether memory agrees with the hold: the program may have overwritten the lock. Memory does not name readers, so any
 * reader will do. */
static bool is_in_memory(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_hold *hold)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_mutex_memory mutex;
	struct rfs_rwlock_memory rwlock;

	if (hold->kind == RFS_OP_LOCK)
		return rfs_model_read(&memory, hold->lock, &mutex, sizeof(mutex)) && mutex.lock &&
		       mutex.owner == thread->tid;
	return rfs_model_read(&memory, hold->lock, &rwlock, sizeof(rwlock)) &&
	       (hold->kind == RFS_OP_WRLOCK ? rwlock.cur_writer == thread->tid
					    : rwlock.readers >> RFS_RWLOCK_READER_SHIFT != 0);
}

/*
 * Looks for a lock at [low, high) that a thread holds. Returns NULL if there is none. `now`: the
 * thread is at the call, so memory must agree.
 */
static const struct rfs_hold *misuse_find_hold(struct rfs_run *run, rfs_addr low, rfs_addr high, bool now,
					       const struct rfs_thread **holder)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];
		const struct rfs_hold *hold = t->sync.ended ? NULL : hold_in(t, low, high);

		if (hold && hold->owned && (!now || is_in_memory(run, t, hold))) {
			*holder = t;
			return hold;
		}
	}
	return NULL;
}

static bool waits_for_object(const struct rfs_wait *wait)
{
	return wait->kind == RFS_WAIT_BARRIER || wait->kind == RFS_WAIT_SEMAPHORE;
}

/*
 * Looks for a thread that waits at an object at [low, high) and was not woken yet. `now`: as for misuse_find_hold().
 * Only memory says whether a barrier has let its threads go, or a semaphore has a token.
 */
static const struct rfs_thread *misuse_find_waiter(struct rfs_run *run, rfs_addr low, rfs_addr high, bool now,
						   rfs_addr *object)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);

	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_sync_thread *t = &run->threads[i]->sync;

		*object = t->cond.active ? t->cond.cond : waits_for_object(&t->wait) ? t->wait.object : 0;
		if (t->ended || *object < low || *object >= high)
			continue;
		if (t->cond.active ? !t->cond.signalled
				   : now && rfs_wait_look(&run->sync, t, &memory) == RFS_WAIT_GOES_ON)
			return run->threads[i];
	}
	return NULL;
}

/*
 * The thread ends the life of the objects at [low, high), or begins it again. note: where. now: the thread is there.
 * True if one is held, or a thread waits there.
 */
static bool check_use(struct rfs_run *run, struct rfs_thread *thread, rfs_addr low, rfs_addr high,
		      struct rfs_misuse_note note, bool now, enum rfs_misuse_kind held, enum rfs_misuse_kind waited)
{
	const struct rfs_hold *hold = misuse_find_hold(run, low, high, now, &note.other);

	if (hold) {
		note.kind = held;
		note.object = hold->lock;
		note.earlier = hold->site;
		rfs_misuse_add(run, thread, &note);
	}
	note.other = misuse_find_waiter(run, low, high, now, &note.object);
	note.earlier = 0;
	note.earlier_is = RFS_EARLIER_WAITS;
	note.kind = waited;
	if (note.other)
		rfs_misuse_add(run, thread, &note);
	return hold || note.other;
}

void rfs_misuse_destroy(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object)
{
	const struct rfs_misuse_note note = {.calls = true};
	bool used = check_use(run, thread, object, object + 1, note, true, RFS_MISUSE_DESTROY_HELD,
			      RFS_MISUSE_DESTROY_WAITED);

	rfs_misuse_object_ends(run, thread, type, object, used);
}

void rfs_misuse_init(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object,
		     rfs_site site)
{
	const struct rfs_misuse_note note = {.calls = true};
	const struct rfs_known_object *known = rfs_object_find(run->objects, object);
	const bool inherited = known && known->state == RFS_OBJECT_INHERITED;
	enum rfs_op_kind kind;
	bool used;

	/* the handlers of pthread_atfork() may hold a lock during the fork, and initialise it in the child */
	while (inherited && rfs_sync_holds(&thread->sync, object))
		(void)rfs_sync_release_lock(&thread->sync, object, &kind);
	used = check_use(run, thread, object, object + 1, note, true, RFS_MISUSE_INIT_HELD, RFS_MISUSE_INIT_WAITED);

	rfs_misuse_object_begins(run, thread, type, object, site, used);
}

void rfs_misuse_free(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size, rfs_site site)
{
	const struct rfs_misuse_note note = {.site = site, .calls = true};

	check_use(run, thread, address, address + size, note, !site, RFS_MISUSE_FREE_HELD, RFS_MISUSE_FREE_WAITED);
}

void rfs_misuse_leave(struct rfs_run *run, struct rfs_thread *thread, rfs_addr low, const struct rfs_stack_frame *frame)
{
	const struct rfs_misuse_note note = {.site = rfs_site_of(run, rfs_task_regs(thread->task)->rip),
					     .frame = *frame};

	check_use(run, thread, low, frame->cfa, note, true, RFS_MISUSE_LEAVE_HELD, RFS_MISUSE_LEAVE_WAITED);
}

void rfs_misuse_argument(struct rfs_run *run, struct rfs_thread *thread, enum rfs_misuse_kind kind, rfs_addr object)
{
	const struct rfs_misuse_note note = {.kind = kind, .object = object, .calls = true};

	rfs_misuse_add(run, thread, &note);
}

void rfs_misuse_unlock(struct rfs_run *run, struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock,
		       rfs_site site)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_misuse_note note = {.object = lock, .site = site, .calls = true};
	struct rfs_lock_state state;
	int holder;

	/* GLib's own code may release a GMutex without a call, and fclose() a stream */
	if (type >= RFS_LOCK_WORD)
		return;
	if (type == RFS_LOCK_SPIN)
		rfs_misuse_object_begins(run, thread, RFS_OBJECT_SPIN, lock, 0, true);
	else if (rfs_misuse_use(run, thread, rfs_object_of_lock(type), lock, site))
		return;
	if (rfs_sync_holds(&thread->sync, lock))
		return;
	if (!site)
		rfs_misuse_lock(run, thread, type, lock);
	if (!rfs_lock_look(&memory, thread->tid, type == RFS_LOCK_READ ? RFS_LOCK_WRITE : type, lock, &state) ||
	    state.shared)
		return;
	holder = rfs_sync_holder(&run->sync, lock, NULL);
	if (holder >= 0) {
		note.kind = RFS_MISUSE_UNLOCK_OTHER;
		note.other = run->threads[holder];
		note.earlier = hold_in(note.other, lock, lock + 1)->site;
		rfs_misuse_add(run, thread, &note);
	} else if (type == RFS_LOCK_SPIN) {
		return; /* pthread_spin_init() and pthread_spin_unlock() are the same code in the C library */
	} else if (site || (state.acquires && !state.owner)) { /* after a recorded call, memory is newer */
		note.kind = RFS_MISUSE_UNLOCK_FREE;
		rfs_misuse_add(run, thread, &note);
	}
}

static bool mutex_is_destroyed(struct rfs_run *run, rfs_addr lock)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_mutex_memory mutex;

	return rfs_model_read(&memory, lock, &mutex, sizeof(mutex)) && mutex.kind == RFS_MUTEX_DESTROYED;
}

void rfs_misuse_lock(struct rfs_run *run, struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock)
{
	const struct rfs_misuse_note note = {.kind = RFS_MISUSE_USE_DESTROYED, .object = lock, .calls = true};

	if (type >= RFS_LOCK_WORD || rfs_misuse_use(run, thread, rfs_object_of_lock(type), lock, 0))
		return;
	if (type == RFS_LOCK_MUTEX && mutex_is_destroyed(run, lock))
		rfs_misuse_add(run, thread, &note);
}

void rfs_misuse_error(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object, int error)
{
	const struct rfs_hold *hold = hold_in(thread, object, object + 1);
	const struct rfs_misuse_note note = {.kind = RFS_MISUSE_IGNORES_ERROR,
					     .object = object,
					     .error = error,
					     .earlier = hold ? hold->site : 0,
					     .calls = true};

	rfs_misuse_add(run, thread, &note);
}

/*
 * Whether memory says that the condition variable was destroyed. After a recorded call, memory is newer: a condition
 * variable on the stack may have been overwritten. So then nothing else may be there.
 */
static bool cond_is_destroyed(struct rfs_run *run, rfs_addr cond, bool recorded)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	uint32_t words[sizeof(pthread_cond_t) / sizeof(uint32_t)];
	const size_t wrefs = RFS_COND_WREFS / sizeof(*words);

	if (!rfs_model_read(&memory, cond, words, sizeof(words)) || !(words[wrefs] & RFS_COND_DESTROYED))
		return false;
	for (size_t i = 0; recorded && i < sizeof(words) / sizeof(*words); i++)
		if (i == wrefs ? words[i] > (RFS_COND_DESTROYED | RFS_COND_MONOTONIC) : words[i] != 0)
			return false;
	return true;
}

bool rfs_misuse_is_destroyed(struct rfs_run *run, enum rfs_object_type type, rfs_addr object)
{
	return type == RFS_OBJECT_MUTEX	 ? mutex_is_destroyed(run, object)
	       : type == RFS_OBJECT_COND ? cond_is_destroyed(run, object, false)
					 : false;
}

void rfs_misuse_signal(struct rfs_run *run, struct rfs_thread *thread, rfs_addr cond, rfs_site site)
{
	const struct rfs_misuse_note note = {
		.kind = RFS_MISUSE_USE_DESTROYED, .object = cond, .site = site, .calls = true};

	if (!rfs_misuse_use(run, thread, RFS_OBJECT_COND, cond, site) && cond_is_destroyed(run, cond, site))
		rfs_misuse_add(run, thread, &note);
}

void rfs_misuse_wait(struct rfs_run *run, struct rfs_thread *thread, rfs_addr cond, rfs_addr mutex)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_misuse_note note = {
		.kind = RFS_MISUSE_WAIT_MUTEXES, .object = cond, .calls = true, .earlier_is = RFS_EARLIER_WAITS};
	struct rfs_lock_state state;
	int holder;

	rfs_misuse_lock(run, thread, RFS_LOCK_MUTEX, mutex);
	rfs_misuse_signal(run, thread, cond, 0);
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_sync_thread *t = &run->threads[i]->sync;

		if (t == &thread->sync || t->ended || !t->cond.active || t->cond.signalled || t->cond.cond != cond ||
		    t->cond.mutex == mutex)
			continue;
		note.other = run->threads[i];
		rfs_misuse_add(run, thread, &note);
		break;
	}
	if (rfs_sync_holds(&thread->sync, mutex) ||
	    !rfs_lock_look(&memory, thread->tid, RFS_LOCK_MUTEX, mutex, &state) || state.shared ||
	    state.owner == thread->tid)
		return;
	note = (struct rfs_misuse_note){.kind = RFS_MISUSE_WAIT_UNLOCKED, .object = mutex, .calls = true};
	holder = rfs_sync_holder(&run->sync, mutex, NULL);
	if (holder >= 0) {
		note.other = run->threads[holder];
		note.earlier = hold_in(note.other, mutex, mutex + 1)->site;
	}
	rfs_misuse_add(run, thread, &note);
}

void rfs_misuse_exit(struct rfs_run *run, struct rfs_thread *thread)
{
	for (size_t i = 0; i < thread->sync.n_holds; i++) {
		const struct rfs_hold *hold = &thread->sync.holds[i];
		const struct rfs_misuse_note note = {
			.kind = RFS_MISUSE_EXIT_HOLDING, .object = hold->lock, .earlier = hold->site};

		if (hold->owned && is_in_memory(run, thread, hold))
			rfs_misuse_add(run, thread, &note);
	}
}

/* A thread that has not ended yet may serve until the end of the program. */
void rfs_misuse_end(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];
		const struct rfs_misuse_note note = {
			.kind = RFS_MISUSE_NEVER_JOINED, .other = t, .site = t->start.joining.created_at};

		if (t->start.joining.left && t->creator && t->start.joining.created_at && !t->start.joining.joined &&
		    !t->start.joining.detached)
			rfs_misuse_add(run, t->creator, &note);
	}
}

void rfs_misuse_join(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *peer)
{
	struct rfs_misuse_note note = {.kind = RFS_MISUSE_JOIN_AGAIN, .other = peer, .calls = true};

	if (peer == thread)
		note.kind = RFS_MISUSE_JOIN_SELF;
	else if (!peer || !(peer->start.joining.joined || peer->start.joining.detached))
		return;
	rfs_misuse_add(run, thread, &note);
}

void rfs_misuse_detach(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *peer)
{
	const struct rfs_misuse_note note = {.kind = RFS_MISUSE_DETACH_AGAIN, .other = peer, .calls = true};

	if (peer && (peer->start.joining.joined || peer->start.joining.detached))
		rfs_misuse_add(run, thread, &note);
}
