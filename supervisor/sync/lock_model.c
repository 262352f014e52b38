/*
 * lock_model.c - what the memory of a lock says: would a call come back at once, and who holds it.
 *
 * Memory is the truth and is read again at each call. The layouts are those of glibc 2.x on x86-64
 * (struct __pthread_mutex_s, struct __pthread_rwlock_arch_t: part of its ABI), the kind bits those of its pthreadP.h.
 */
#include "supervisor/sync/lock_model.h"

#include <limits.h>
#include <linux/futex.h>

#include "disasm/addr.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"

struct mutex_memory {
	int lock;
	unsigned count;
	int owner;
	unsigned users;
	int kind;
};
#define KIND_MASK 3
#define KIND_RECURSIVE 1
#define KIND_ERRORCHECK 2
#define KIND_ROBUST 16
#define KIND_PRIO_INHERIT 32
#define KIND_PRIO_PROTECT 64
#define KIND_SHARED 128
#define PRIO_CEILING_SHIFT 19

struct rwlock_memory {
	unsigned readers, writers, wrphase_futex, writers_futex, pad3, pad4;
	int cur_writer, shared;
};
#define RWLOCK_WRLOCKED 2u
#define RWLOCK_READER_SHIFT 3

static void look_mutex(const struct mutex_memory *m, pid_t self, struct rfs_lock_state *out)
{
	int type = m->kind & KIND_MASK;

	if (m->kind & (KIND_ROBUST | KIND_PRIO_INHERIT)) {
		out->owner = m->lock & FUTEX_TID_MASK;
		if (m->lock & FUTEX_OWNER_DIED)
			out->owner = 0;
	} else if (m->kind & KIND_PRIO_PROTECT) {
		out->owner = (m->lock & ((1 << PRIO_CEILING_SHIFT) - 1)) ? m->owner : 0;
	} else {
		out->owner = m->lock ? m->owner : 0;
	}
	out->shared = m->kind & KIND_SHARED;
	if ((m->kind & KIND_ROBUST) && m->owner == INT_MAX) {
		out->returns = true; /* ENOTRECOVERABLE */
		return;
	}
	if (out->owner == 0 && (m->lock == 0 || (m->kind & (KIND_ROBUST | KIND_PRIO_INHERIT | KIND_PRIO_PROTECT)))) {
		out->returns = out->acquires = true;
	} else if (out->owner == self && (type == KIND_RECURSIVE || type == KIND_ERRORCHECK)) {
		out->returns = true;
		out->acquires = type == KIND_RECURSIVE;
	}
}

static void look_rwlock(const struct rwlock_memory *m, bool write, pid_t self, struct rfs_lock_state *out)
{
	bool held_for_write = m->readers & RWLOCK_WRLOCKED;

	out->owner = held_for_write ? m->cur_writer : 0;
	out->shared = m->shared != 0;
	out->acquires = !held_for_write && !(write && (m->readers >> RWLOCK_READER_SHIFT) != 0);
	out->returns = out->acquires || (held_for_write && m->cur_writer == self); /* EDEADLK */
}

/* __pthread_mutex_unlock_full() for the robust, inheriting and protecting ones: EPERM where it is not the caller's. */
static bool mutex_refuses(const struct mutex_memory *m, pid_t self)
{
	int type = m->kind & KIND_MASK;

	if (m->kind & (KIND_ROBUST | KIND_PRIO_INHERIT))
		return (m->lock & FUTEX_TID_MASK) != self;
	return (type == KIND_RECURSIVE || type == KIND_ERRORCHECK) && m->owner != self;
}

bool rfs_lock_refuses_unlock(const struct rfs_run *run, const struct rfs_thread *thread, enum rfs_lock_type type,
			     rfs_addr lock)
{
	struct mutex_memory mutex;

	return type == RFS_LOCK_MUTEX && rfs_peek(run, lock, &mutex, sizeof(mutex)) &&
	       mutex_refuses(&mutex, thread->tid);
}

bool rfs_lock_look(const struct rfs_run *run, const struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock,
		   struct rfs_lock_state *out)
{
	struct mutex_memory mutex;
	struct rwlock_memory rwlock;
	int word;

	*out = (struct rfs_lock_state){0};
	switch (type) {
	case RFS_LOCK_MUTEX:
		if (!rfs_peek(run, lock, &mutex, sizeof(mutex)))
			return false;
		look_mutex(&mutex, thread->tid, out);
		return true;
	case RFS_LOCK_READ:
	case RFS_LOCK_WRITE:
		if (!rfs_peek(run, lock, &rwlock, sizeof(rwlock)))
			return false;
		look_rwlock(&rwlock, type == RFS_LOCK_WRITE, thread->tid, out);
		return true;
	case RFS_LOCK_SPIN:
		if (!rfs_peek(run, lock, &word, sizeof(word)))
			return false;
		out->returns = out->acquires = word > 0;
		return true;
	}
	return false;
}
