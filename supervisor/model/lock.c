/*
 * The lock's memory decides, because the program may change it without a call that the model sees. So the model reads
 * that memory again at each call.
 */
#include "supervisor/model/lock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>

#include "disasm/addr.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/memory.h"

static void look_mutex(const struct rfs_mutex_memory *m, pid_t self, struct rfs_lock_state *out)
{
	int type = m->kind & RFS_MUTEX_TYPE;

	if (m->kind & (RFS_MUTEX_ROBUST | RFS_MUTEX_INHERIT)) {
		out->owner = m->lock & FUTEX_TID_MASK;
		if (m->lock & FUTEX_OWNER_DIED)
			out->owner = 0;
	} else if (m->kind & RFS_MUTEX_PROTECT) {
		out->owner = (m->lock & ((1 << RFS_MUTEX_CEILING_SHIFT) - 1)) ? m->owner : 0;
	} else {
		out->owner = m->lock ? m->owner : 0;
	}
	out->shared = m->kind & RFS_MUTEX_SHARED;
	out->robust = m->kind & RFS_MUTEX_ROBUST;
	if ((m->kind & RFS_MUTEX_ROBUST) && m->owner == RFS_MUTEX_NOT_RECOVERABLE) {
		out->returns = true; /* ENOTRECOVERABLE */
		return;
	}
	if (out->owner == 0 &&
	    (m->lock == 0 || (m->kind & (RFS_MUTEX_ROBUST | RFS_MUTEX_INHERIT | RFS_MUTEX_PROTECT)))) {
		out->returns = out->acquires = true;
	} else if (out->owner == self && (type == RFS_MUTEX_RECURSIVE || type == RFS_MUTEX_ERRORCHECK)) {
		out->returns = true;
		out->acquires = type == RFS_MUTEX_RECURSIVE;
	}
}

static void look_rwlock(const struct rfs_rwlock_memory *m, bool write, pid_t self, struct rfs_lock_state *out)
{
	bool held_for_write = m->readers & RFS_RWLOCK_WRLOCKED;

	out->owner = held_for_write ? m->cur_writer : 0;
	out->shared = m->shared != 0;
	out->acquires = !held_for_write && !(write && (m->readers >> RFS_RWLOCK_READER_SHIFT) != 0);
	out->returns = out->acquires ||
		       (held_for_write &&
			m->cur_writer ==
				self); /* the thread already holds the lock for writing, so the call returns EDEADLK */
}

/* Whether unlocking fails with EPERM because the caller is not the owner, as in glibc's pthread_mutex_unlock(). */
static bool mutex_refuses(const struct rfs_mutex_memory *m, pid_t self)
{
	int type = m->kind & RFS_MUTEX_TYPE;

	if (m->kind & (RFS_MUTEX_ROBUST | RFS_MUTEX_INHERIT))
		return (m->lock & FUTEX_TID_MASK) != self;
	return (type == RFS_MUTEX_RECURSIVE || type == RFS_MUTEX_ERRORCHECK) && m->owner != self;
}

bool rfs_lock_refuses_unlock(const struct rfs_model_memory *memory, pid_t self, enum rfs_lock_type type, rfs_addr lock)
{
	struct rfs_mutex_memory mutex;

	return type == RFS_LOCK_MUTEX && rfs_model_read(memory, lock, &mutex, sizeof(mutex)) &&
	       mutex_refuses(&mutex, self);
}

int rfs_lock_error(const struct rfs_model_memory *memory, pid_t self, enum rfs_lock_type type, rfs_addr lock)
{
	struct rfs_mutex_memory mutex;
	struct rfs_lock_state state;

	if (!rfs_lock_look(memory, self, type, lock, &state) || !state.returns)
		return 0;
	if (state.robust && !state.acquires && state.owner != self)
		return ENOTRECOVERABLE;
	if (state.robust && state.acquires && rfs_model_read(memory, lock, &mutex, sizeof(mutex)) &&
	    (mutex.lock & FUTEX_OWNER_DIED))
		return EOWNERDEAD;
	return state.acquires ? 0 : EDEADLK;
}

bool rfs_lock_prefers_writers(const struct rfs_model_memory *memory, rfs_addr lock)
{
	struct rfs_rwlock_memory rwlock;

	return rfs_model_read(memory, lock, &rwlock, sizeof(rwlock)) && rwlock.flags == RFS_RWLOCK_PREFER_WRITER;
}

bool rfs_lock_look(const struct rfs_model_memory *memory, pid_t self, enum rfs_lock_type type, rfs_addr lock,
		   struct rfs_lock_state *out)
{
	struct rfs_mutex_memory mutex;
	struct rfs_rwlock_memory rwlock;
	rfs_addr word_at;
	int word;

	*out = (struct rfs_lock_state){0};
	switch (type) {
	case RFS_LOCK_MUTEX:
		if (!rfs_model_read(memory, lock, &mutex, sizeof(mutex)))
			return false;
		look_mutex(&mutex, self, out);
		return true;
	case RFS_LOCK_READ:
	case RFS_LOCK_WRITE:
		if (!rfs_model_read(memory, lock, &rwlock, sizeof(rwlock)))
			return false;
		look_rwlock(&rwlock, type == RFS_LOCK_WRITE, self, out);
		return true;
	case RFS_LOCK_SPIN:
	case RFS_LOCK_WORD:
		if (!rfs_model_read(memory, lock, &word, sizeof(word)))
			return false;
		out->returns = out->acquires = type == RFS_LOCK_SPIN ? word > 0 : word == 0;
		return true;
	case RFS_LOCK_STREAM:
		if (!rfs_model_read(memory, lock + RFS_FILE_LOCK, &word_at, sizeof(word_at)) ||
		    !rfs_model_read(memory, word_at, &word, sizeof(word)))
			return false;
		out->returns = out->acquires = word == 0;
		return true;
	}
	return false;
}
