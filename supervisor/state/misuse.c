#include "supervisor/state/misuse.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/model/cond.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/wait.h"
#include "supervisor/record/misuse.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/evidence.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"

/* The most mistakes that a run keeps. */
#define MISUSES_MAX 64
#define STACK_FRAMES 24

/* The stack begins with the call, not with the function that is called. `calls`: the thread is at that function's
 * entry. */
static void take_stack(struct rfs_run *run, const struct rfs_thread *thread, bool calls, rfs_site site,
		       struct rfs_misuse *out)
{
	rfs_addr frames[STACK_FRAMES + 1] = {0};
	size_t n = 0;

	if (site) {
		frames[1] = rfs_site_address(run, site);
		n = frames[1] ? 2 : 0;
	} else if (calls) {
		n = rfs_thread_stack(thread, frames, STACK_FRAMES + 1);
	}
	if (n < 2)
		return;
	frames[1]--; /* it is a return address; this is in the call before it */
	out->stack = xcalloc(n - 1, sizeof(*out->stack));
	for (size_t i = 1; i < n; i++)
		rfs_place_of(run, frames[i], &out->stack[out->n_stack++]);
}

struct note {
	enum rfs_misuse_kind kind;
	rfs_addr object; /* 0: none */
	const struct rfs_thread *other;
	rfs_site site, acquired;
	bool calls;
};

static void add(struct rfs_run *run, struct rfs_thread *thread, const struct note *note)
{
	struct rfs_run_result *result = run->result;
	struct rfs_misuse misuse = {
		.kind = note->kind, .thread = thread->number, .other = note->other ? note->other->number : -1};

	if (result->n_misuses == MISUSES_MAX)
		return;
	take_stack(run, thread, note->calls, note->site, &misuse);
	if (note->acquired)
		rfs_place_of(run, rfs_site_address(run, note->acquired) - 1, &misuse.acquired);
	for (size_t i = 0; i < result->n_misuses; i++) {
		if (rfs_misuse_is_same(&result->misuses[i], &misuse)) {
			rfs_misuse_release(&misuse);
			return;
		}
	}
	if (note->object)
		rfs_describe(run, note->object, &misuse.object);
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
static const struct rfs_hold *find_hold(struct rfs_run *run, rfs_addr low, rfs_addr high, bool now,
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

/*
 * Looks for a thread that waits at an object at [low, high) and was not woken yet. `now`: as for find_hold(). Only
 * memory says whether a barrier has let its threads go.
 */
static const struct rfs_thread *find_waiter(struct rfs_run *run, rfs_addr low, rfs_addr high, bool now,
					    rfs_addr *object)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);

	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_sync_thread *t = &run->threads[i]->sync;

		*object = t->cond.active ? t->cond.cond : t->wait.kind == RFS_WAIT_BARRIER ? t->wait.object : 0;
		if (t->ended || *object < low || *object >= high)
			continue;
		if (t->cond.active ? !t->cond.signalled
				   : now && rfs_wait_look(&run->sync, t, &memory) == RFS_WAIT_GOES_ON)
			return run->threads[i];
	}
	return NULL;
}

/* The thread ends the life of the objects at [low, high), or begins it again. */
static void check_use(struct rfs_run *run, struct rfs_thread *thread, rfs_addr low, rfs_addr high, bool calls,
		      enum rfs_misuse_kind held, enum rfs_misuse_kind waited)
{
	struct note note = {.calls = calls};
	const struct rfs_hold *hold = find_hold(run, low, high, calls, &note.other);

	if (hold) {
		note.kind = held;
		note.object = hold->lock;
		note.acquired = hold->site;
		add(run, thread, &note);
	}
	note.other = find_waiter(run, low, high, calls, &note.object);
	note.acquired = 0;
	note.kind = waited;
	if (note.other)
		add(run, thread, &note);
}

void rfs_misuse_destroy(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object)
{
	check_use(run, thread, object, object + 1, true, RFS_MISUSE_DESTROY_HELD, RFS_MISUSE_DESTROY_WAITED);
}

void rfs_misuse_init(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object)
{
	check_use(run, thread, object, object + 1, true, RFS_MISUSE_INIT_HELD, RFS_MISUSE_INIT_WAITED);
}

void rfs_misuse_free(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size)
{
	check_use(run, thread, address, address + size, false, RFS_MISUSE_FREE_HELD, RFS_MISUSE_FREE_WAITED);
}

void rfs_misuse_unlock(struct rfs_run *run, struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock,
		       rfs_site site)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct note note = {.object = lock, .site = site, .calls = true};
	struct rfs_lock_state state;
	int holder;

	/* GLib's own code may release a GMutex without a call */
	if (rfs_sync_holds(&thread->sync, lock) || type == RFS_LOCK_WORD)
		return;
	rfs_misuse_lock(run, thread, type, lock);
	if (!rfs_lock_look(&memory, thread->tid, type == RFS_LOCK_READ ? RFS_LOCK_WRITE : type, lock, &state) ||
	    state.shared)
		return;
	holder = rfs_sync_holder(&run->sync, lock, NULL);
	if (holder >= 0) {
		note.kind = RFS_MISUSE_UNLOCK_OTHER;
		note.other = run->threads[holder];
		note.acquired = hold_in(note.other, lock, lock + 1)->site;
		add(run, thread, &note);
	} else if (type == RFS_LOCK_SPIN) {
		return; /* pthread_spin_init() and pthread_spin_unlock() are the same code in the C library */
	} else if (site || (state.acquires && !state.owner)) { /* after a recorded call, memory is newer */
		note.kind = RFS_MISUSE_UNLOCK_FREE;
		add(run, thread, &note);
	}
}

void rfs_misuse_lock(struct rfs_run *run, struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	const struct note note = {.kind = RFS_MISUSE_USE_DESTROYED, .object = lock, .calls = true};
	struct rfs_mutex_memory mutex;

	if (type == RFS_LOCK_MUTEX && rfs_model_read(&memory, lock, &mutex, sizeof(mutex)) &&
	    mutex.kind == RFS_MUTEX_DESTROYED)
		add(run, thread, &note);
}

void rfs_misuse_error(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock)
{
	const struct rfs_hold *hold = hold_in(thread, lock, lock + 1);
	const struct note note = {
		.kind = RFS_MISUSE_IGNORES_ERROR, .object = lock, .acquired = hold ? hold->site : 0, .calls = true};

	add(run, thread, &note);
}

/*
 * Whether memory says that the condition variable was destroyed. After a recorded call, memory is newer: a condition
 * variable on the stack may have been overwritten. So then nothing else may be there.
 */
static bool is_destroyed(struct rfs_run *run, rfs_addr cond, bool recorded)
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

void rfs_misuse_signal(struct rfs_run *run, struct rfs_thread *thread, rfs_addr cond, rfs_site site)
{
	const struct note note = {.kind = RFS_MISUSE_USE_DESTROYED, .object = cond, .site = site, .calls = true};

	if (is_destroyed(run, cond, site))
		add(run, thread, &note);
}

void rfs_misuse_wait(struct rfs_run *run, struct rfs_thread *thread, rfs_addr cond, rfs_addr mutex)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct note note = {.kind = RFS_MISUSE_WAIT_MUTEXES, .object = cond, .calls = true};
	struct rfs_lock_state state;

	rfs_misuse_lock(run, thread, RFS_LOCK_MUTEX, mutex);
	rfs_misuse_signal(run, thread, cond, 0);
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_sync_thread *t = &run->threads[i]->sync;

		if (t == &thread->sync || t->ended || !t->cond.active || t->cond.signalled || t->cond.cond != cond ||
		    t->cond.mutex == mutex)
			continue;
		note.other = run->threads[i];
		add(run, thread, &note);
		break;
	}
	if (rfs_sync_holds(&thread->sync, mutex) ||
	    !rfs_lock_look(&memory, thread->tid, RFS_LOCK_MUTEX, mutex, &state) || state.shared ||
	    state.owner == thread->tid)
		return;
	note = (struct note){.kind = RFS_MISUSE_WAIT_UNLOCKED, .object = mutex, .calls = true};
	add(run, thread, &note);
}

void rfs_misuse_exit(struct rfs_run *run, struct rfs_thread *thread)
{
	for (size_t i = 0; i < thread->sync.n_holds; i++) {
		const struct rfs_hold *hold = &thread->sync.holds[i];
		const struct note note = {
			.kind = RFS_MISUSE_EXIT_HOLDING, .object = hold->lock, .acquired = hold->site};

		if (hold->owned && is_in_memory(run, thread, hold))
			add(run, thread, &note);
	}
}

void rfs_misuse_join(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *peer)
{
	struct note note = {.kind = RFS_MISUSE_JOIN_AGAIN, .other = peer, .calls = true};

	if (peer == thread)
		note.kind = RFS_MISUSE_JOIN_SELF;
	else if (!peer || !(peer->joined || peer->detached))
		return;
	add(run, thread, &note);
}

void rfs_misuse_detach(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *peer)
{
	const struct note note = {.kind = RFS_MISUSE_DETACH_AGAIN, .other = peer, .calls = true};

	if (peer && (peer->joined || peer->detached))
		add(run, thread, &note);
}
