/* objects.c - a hash table of objects by address, with the rules of which call suits which object. */
#include "supervisor/model/objects.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/memory.h"

/* The most addresses that the table has. Programs with more use the same few types again and again. */
#define OBJECTS_MAX 65536

/* PID_MAX_LIMIT of the kernel: no more threads than this can wait for an object. */
#define THREADS_MAX (1u << 22)

/* All bits that an initialiser of a mutex can set in its kind. */
#define MUTEX_KIND_BITS                                                                                                \
	(RFS_MUTEX_TYPE | RFS_MUTEX_ROBUST | RFS_MUTEX_INHERIT | RFS_MUTEX_PROTECT | RFS_MUTEX_SHARED |                \
	 RFS_MUTEX_ELISION | RFS_MUTEX_NO_ELISION)

enum rfs_object_type rfs_object_of_lock(enum rfs_lock_type type)
{
	switch (type) {
	case RFS_LOCK_MUTEX:
		return RFS_OBJECT_MUTEX;
	case RFS_LOCK_READ:
	case RFS_LOCK_WRITE:
		return RFS_OBJECT_RWLOCK;
	case RFS_LOCK_SPIN:
		return RFS_OBJECT_SPIN;
	case RFS_LOCK_WORD:
	case RFS_LOCK_STREAM:
		break;
	}
	return RFS_OBJECT_UNKNOWN;
}

const char *rfs_object_type_name(enum rfs_object_type type)
{
	static const char *const names[RFS_OBJECT_TYPES] = {
		[RFS_OBJECT_UNKNOWN] = "an unknown object",    [RFS_OBJECT_MUTEX] = "a mutex",
		[RFS_OBJECT_RWLOCK] = "a readers-writer lock", [RFS_OBJECT_SPIN] = "a spin lock",
		[RFS_OBJECT_COND] = "a condition variable",    [RFS_OBJECT_BARRIER] = "a barrier",
		[RFS_OBJECT_SEMAPHORE] = "a semaphore",
	};

	return names[type];
}

const struct rfs_known_object *rfs_object_find(const struct rfs_known_object *table, rfs_addr address)
{
	const struct rfs_known_object *object;

	HASH_FIND(hh, table, &address, sizeof(address), object);
	return object;
}

/* Then objects may be missing in the table, so nothing is known of those that are not there. */
static bool is_full(const struct rfs_known_object *table)
{
	return HASH_COUNT(table) == OBJECTS_MAX;
}

static void objects_set(struct rfs_known_object **table, const struct rfs_known_object *now,
			enum rfs_object_state state)
{
	struct rfs_known_object *object;
	UT_hash_handle hh;

	HASH_FIND(hh, *table, &now->address, sizeof(now->address), object);
	if (!object) {
		/* what has no known life is never compared */
		if (is_full(*table) || !now->life.number)
			return;
		object = xcalloc(1, sizeof(*object));
		object->address = now->address;
		HASH_ADD(hh, *table, address, sizeof(object->address), object);
	}
	hh = object->hh;
	*object = *now;
	object->hh = hh;
	object->state = state;
}

static bool needs_call(enum rfs_object_type type)
{
	return type == RFS_OBJECT_SEMAPHORE || type == RFS_OBJECT_BARRIER;
}

/* What is known of the object, if memory had no other use since. */
static const struct rfs_known_object *same_life(const struct rfs_known_object *table,
						const struct rfs_known_object *now, struct rfs_known_object *before)
{
	const struct rfs_known_object *known = rfs_object_find(table, now->address);

	if (!known || !now->life.number || known->life.number != now->life.number)
		return NULL;
	*before = *known;
	return known;
}

/*
 * Whether another type of object is there. In memory that the program may have divided and given to another object, at
 * least the initialisation of the first object must have been seen.
 */
static bool is_other_type(const struct rfs_known_object *known, const struct rfs_known_object *now)
{
	return known->type != now->type && known->state != RFS_OBJECT_DESTROYED &&
	       (now->life.is_static || known->state == RFS_OBJECT_INITIALISED);
}

enum rfs_object_fault rfs_object_use(struct rfs_known_object **table, const struct rfs_known_object *now,
				     struct rfs_known_object *before)
{
	const struct rfs_known_object *known = same_life(*table, now, before);

	if (known && is_other_type(known, now))
		return RFS_OBJECT_WRONG_TYPE;
	if (known && known->type == now->type) {
		if (known->state != RFS_OBJECT_DESTROYED)
			return RFS_OBJECT_FINE;
		if (needs_call(now->type))
			return RFS_OBJECT_IS_DESTROYED;
	}
	objects_set(table, now, RFS_OBJECT_USED);
	return !known && !is_full(*table) && now->life.complete && needs_call(now->type) ? RFS_OBJECT_UNINITIALISED
											 : RFS_OBJECT_FINE;
}

enum rfs_object_fault rfs_object_init(struct rfs_known_object **table, const struct rfs_known_object *now,
				      struct rfs_known_object *before)
{
	const struct rfs_known_object *known = same_life(*table, now, before);
	bool twice = known && known->type == now->type &&
		     (known->state == RFS_OBJECT_INITIALISED ||
		      (known->state == RFS_OBJECT_USED && now->life.is_static && !needs_call(now->type)));

	objects_set(table, now, RFS_OBJECT_INITIALISED);
	return twice ? RFS_OBJECT_INITIALISED_TWICE : RFS_OBJECT_FINE;
}

void rfs_objects_forked(struct rfs_known_object *table)
{
	struct rfs_known_object *known, *next;

	HASH_ITER (hh, table, known, next)
		if (known->state != RFS_OBJECT_DESTROYED)
			known->state = RFS_OBJECT_INHERITED;
}

enum rfs_object_fault rfs_object_destroy(struct rfs_known_object **table, const struct rfs_known_object *now,
					 struct rfs_known_object *before)
{
	const struct rfs_known_object *known = same_life(*table, now, before);
	enum rfs_object_fault fault = RFS_OBJECT_FINE;

	if (known && is_other_type(known, now))
		return RFS_OBJECT_WRONG_TYPE;
	if (needs_call(now->type)) {
		if (known && known->type == now->type && known->state == RFS_OBJECT_DESTROYED)
			fault = RFS_OBJECT_IS_DESTROYED;
		else if (!known && !is_full(*table) && now->life.complete)
			fault = RFS_OBJECT_UNINITIALISED;
	}
	objects_set(table, now, RFS_OBJECT_DESTROYED);
	return fault;
}

/* Destroying a mutex sets only its kind. If the rest is the same, the memory is filled with bytes 0xff. */
static bool is_possible_mutex(const struct rfs_mutex_memory *mutex)
{
	if (mutex->kind == RFS_MUTEX_DESTROYED)
		return mutex->lock != -1 || mutex->owner != -1;
	return !((unsigned)mutex->kind & ~(unsigned)MUTEX_KIND_BITS);
}

/* Every word that counts has at most two flags, and counts no more threads than there can be. */
static bool is_possible_cond(const uint32_t *words)
{
	for (size_t i = RFS_COND_COUNTS; i < sizeof(pthread_cond_t) / sizeof(*words); i++)
		if (words[i] >> 2 >= THREADS_MAX)
			return false;
	return words[RFS_COND_WREFS / sizeof(*words)] >> RFS_COND_WAITERS_SHIFT <= THREADS_MAX;
}

static bool is_possible_semaphore(const struct rfs_semaphore_memory *semaphore)
{
	return semaphore->value <= SEM_VALUE_MAX && semaphore->waiters <= THREADS_MAX &&
	       !(semaphore->shared & ~RFS_OBJECT_SHARED);
}

bool rfs_object_is_possible(const struct rfs_model_memory *memory, enum rfs_object_type type, rfs_addr address)
{
	struct rfs_mutex_memory mutex;
	struct rfs_rwlock_memory rwlock;
	struct rfs_barrier_memory barrier;
	struct rfs_semaphore_memory semaphore;
	uint32_t cond[sizeof(pthread_cond_t) / sizeof(uint32_t)];

	if (address % sizeof(int) != 0) /* futexes need this */
		return false;
	switch (type) {
	case RFS_OBJECT_MUTEX:
		return !rfs_model_read(memory, address, &mutex, sizeof(mutex)) || is_possible_mutex(&mutex);
	case RFS_OBJECT_RWLOCK:
		return !rfs_model_read(memory, address, &rwlock, sizeof(rwlock)) ||
		       (rwlock.flags <= RFS_RWLOCK_PREFER_WRITER && (unsigned)rwlock.shared <= 1);
	case RFS_OBJECT_COND:
		return !rfs_model_read(memory, address, cond, sizeof(cond)) || is_possible_cond(cond);
	case RFS_OBJECT_BARRIER: /* pthread_barrier_init() refuses other counts */
		return !rfs_model_read(memory, address, &barrier, sizeof(barrier)) ||
		       (barrier.count != 0 && barrier.count <= RFS_BARRIER_COUNT_MAX &&
			!(barrier.shared & ~RFS_OBJECT_SHARED));
	case RFS_OBJECT_SEMAPHORE:
		return !rfs_model_read(memory, address, &semaphore, sizeof(semaphore)) ||
		       is_possible_semaphore(&semaphore);
	default:
		return true;
	}
}

void rfs_objects_copy(const struct rfs_known_object *from, struct rfs_known_object **to)
{
	for (const struct rfs_known_object *object = from; object; object = object->hh.next)
		objects_set(to, object, object->state);
}

void rfs_objects_release(struct rfs_known_object **table)
{
	struct rfs_known_object *object, *next;

	HASH_ITER (hh, *table, object, next) {
		HASH_DEL(*table, object);
		free(object);
	}
}
