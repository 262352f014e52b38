/* objects_test.c - what calls say about the object at an address, and which memory no initialiser makes. */
#include <criterion/criterion.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "supervisor/model/layout.h"
#include "supervisor/model/objects.h"
#include "tests/supervisor/model/model_memory.h"

TestSuite(objects, .timeout = 60);

#define MUTEX RFS_OBJECT_MUTEX
#define RWLOCK RFS_OBJECT_RWLOCK
#define COND RFS_OBJECT_COND
#define SPIN RFS_OBJECT_SPIN
#define BARRIER RFS_OBJECT_BARRIER
#define SEMAPHORE RFS_OBJECT_SEMAPHORE
#define FINE RFS_OBJECT_FINE
#define TWICE RFS_OBJECT_INITIALISED_TWICE
#define WRONG RFS_OBJECT_WRONG_TYPE
#define NEVER RFS_OBJECT_UNINITIALISED
#define GONE RFS_OBJECT_IS_DESTROYED

/* A variable of the program, one whose calls may have been missed, two uses of one heap block, a stack. */
enum { STATIC, UNSEEN, BLOCK, NEXT_BLOCK, STACK };
static const struct rfs_object_life lives[] = {
	[STATIC] = {.number = 1, .is_static = true, .complete = true},
	[UNSEEN] = {.number = 1, .is_static = true},
	[BLOCK] = {.number = 2},
	[NEXT_BLOCK] = {.number = 4},
	[STACK] = {0},
};

struct step {
	char what; /* 'i'nitialise, 'u'se, 'd'estroy; 0: the end */
	enum rfs_object_type type;
	int life;
	enum rfs_object_fault expect;
};

static enum rfs_object_fault take(struct rfs_known_object **table, const struct step *step,
				  struct rfs_known_object *before)
{
	const struct rfs_known_object now = {.address = BASE, .type = step->type, .life = lives[step->life]};

	switch (step->what) {
	case 'i':
		return rfs_object_init(table, &now, before);
	case 'u':
		return rfs_object_use(table, &now, before);
	default:
		return rfs_object_destroy(table, &now, before);
	}
}

Test(objects, calls)
{
	static const struct {
		const char *name;
		struct step steps[6];
	} cases[] = {
		{"initialised twice", {{'i', MUTEX, STATIC, FINE}, {'i', MUTEX, STATIC, TWICE}}},
		{"twice in a block",
		 {{'i', MUTEX, BLOCK, FINE}, {'u', MUTEX, BLOCK, FINE}, {'i', MUTEX, BLOCK, TWICE}}},
		{"destroyed in between",
		 {{'i', MUTEX, STATIC, FINE}, {'d', MUTEX, STATIC, FINE}, {'i', MUTEX, STATIC, FINE}}},
		{"freed in between", {{'i', MUTEX, BLOCK, FINE}, {'i', MUTEX, NEXT_BLOCK, FINE}}},
		{"twice on a stack", {{'i', MUTEX, STACK, FINE}, {'i', MUTEX, STACK, FINE}}},
		{"as something else",
		 {{'i', MUTEX, STATIC, FINE}, {'i', COND, STATIC, FINE}, {'u', COND, STATIC, FINE}}},
		{"a variable in use", {{'u', MUTEX, STATIC, FINE}, {'i', MUTEX, STATIC, TWICE}}},
		{"a block in use", {{'u', MUTEX, BLOCK, FINE}, {'i', MUTEX, BLOCK, FINE}}},
		{"wrong type", {{'u', MUTEX, STATIC, FINE}, {'u', COND, STATIC, WRONG}, {'u', MUTEX, STATIC, FINE}}},
		{"wrong type at the end", {{'u', MUTEX, STATIC, FINE}, {'d', RWLOCK, STATIC, WRONG}}},
		{"wrong type in a block", {{'i', MUTEX, BLOCK, FINE}, {'u', RWLOCK, BLOCK, WRONG}}},
		{"a block that the program gave to another object",
		 {{'u', MUTEX, BLOCK, FINE}, {'u', RWLOCK, BLOCK, FINE}}},
		{"another block", {{'i', MUTEX, BLOCK, FINE}, {'u', RWLOCK, NEXT_BLOCK, FINE}}},
		{"a mutex as a spin lock", {{'i', MUTEX, BLOCK, FINE}, {'u', SPIN, BLOCK, WRONG}}},
		{"a spin lock where a mutex was",
		 {{'i', MUTEX, BLOCK, FINE}, {'i', SPIN, BLOCK, FINE}, {'u', SPIN, BLOCK, FINE}}},
		{"a static spin lock", {{'i', MUTEX, STATIC, FINE}, {'u', SPIN, STATIC, WRONG}}},
		{"after the end of the first",
		 {{'i', MUTEX, BLOCK, FINE}, {'d', MUTEX, BLOCK, FINE}, {'u', RWLOCK, BLOCK, FINE}}},
		{"never initialised", {{'u', SEMAPHORE, STATIC, NEVER}, {'u', SEMAPHORE, STATIC, FINE}}},
		{"never initialised but destroyed", {{'d', BARRIER, STATIC, NEVER}}},
		{"calls may be missed", {{'u', SEMAPHORE, UNSEEN, FINE}, {'u', BARRIER, BLOCK, FINE}}},
		{"a mutex needs no call", {{'u', MUTEX, STATIC, FINE}, {'d', MUTEX, STATIC, FINE}}},
		{"used after the end",
		 {{'i', SEMAPHORE, BLOCK, FINE},
		  {'d', SEMAPHORE, BLOCK, FINE},
		  {'u', SEMAPHORE, BLOCK, GONE},
		  {'d', SEMAPHORE, BLOCK, GONE}}},
		{"a lock may be assigned again",
		 {{'i', RWLOCK, STATIC, FINE}, {'d', RWLOCK, STATIC, FINE}, {'u', RWLOCK, STATIC, FINE}}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_known_object *table = NULL;

		for (const struct step *step = cases[i].steps; step->what; step++) {
			struct rfs_known_object before = {0};

			cr_expect_eq(take(&table, step, &before), step->expect, "%s, step %d", cases[i].name,
				     (int)(step - cases[i].steps));
			if (step->expect == TWICE || step->expect == WRONG || step->expect == GONE)
				cr_expect_eq(before.type, cases[i].steps[0].type, "%s", cases[i].name);
			else if (step->expect == NEVER)
				cr_expect_eq(before.type, RFS_OBJECT_UNKNOWN, "%s", cases[i].name);
		}
		rfs_objects_release(&table);
		cr_expect_null(table);
	}
}

Test(objects, a_copy_knows_the_same)
{
	struct rfs_known_object *table = NULL, *copy = NULL, before;
	const struct step init = {'i', SEMAPHORE, STATIC, FINE};

	take(&table, &init, &before);
	rfs_objects_copy(table, &copy);
	rfs_objects_release(&table);
	cr_assert_not_null(rfs_object_find(copy, BASE));
	cr_expect_eq(rfs_object_find(copy, BASE)->state, RFS_OBJECT_INITIALISED);
	cr_expect_null(rfs_object_find(copy, BASE + 8));
	cr_expect_eq(take(&copy, &init, &before), TWICE);
	rfs_objects_release(&copy);
}

/* What the C library's own initialisers make is possible, with every attribute. */
Test(objects, initialisers_make_possible_memory)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;
	pthread_rwlockattr_t rwlock_attributes;
	pthread_rwlock_t rwlock;
	pthread_barrierattr_t barrier_attributes;
	pthread_barrier_t barrier;
	pthread_cond_t cond;
	sem_t semaphore;

	for (int type = PTHREAD_MUTEX_NORMAL; type <= PTHREAD_MUTEX_ADAPTIVE_NP; type++)
		for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_PROTECT; protocol++)
			for (int flags = 0; flags < 4; flags++) {
				pthread_mutexattr_init(&attributes);
				pthread_mutexattr_settype(&attributes, type);
				pthread_mutexattr_setprotocol(&attributes, protocol);
				pthread_mutexattr_setprioceiling(&attributes, 50);
				pthread_mutexattr_setpshared(&attributes, flags & 1);
				pthread_mutexattr_setrobust(&attributes, flags >> 1);
				if (pthread_mutex_init(&mutex, &attributes) != 0)
					continue;
				model_memory_put(BASE, &mutex, sizeof(mutex));
				cr_expect(rfs_object_is_possible(&model_memory, MUTEX, BASE), "%d %d %d", type,
					  protocol, flags);
				pthread_mutex_destroy(&mutex);
				model_memory_put(BASE, &mutex, sizeof(mutex));
				cr_expect(rfs_object_is_possible(&model_memory, MUTEX, BASE));
			}
	for (int flags = 0; flags < 6; flags++) {
		pthread_rwlockattr_init(&rwlock_attributes);
		pthread_rwlockattr_setpshared(&rwlock_attributes, flags & 1);
		pthread_rwlockattr_setkind_np(&rwlock_attributes, flags >> 1);
		pthread_rwlock_init(&rwlock, &rwlock_attributes);
		pthread_rwlock_rdlock(&rwlock);
		model_memory_put(BASE, &rwlock, sizeof(rwlock));
		cr_expect(rfs_object_is_possible(&model_memory, RWLOCK, BASE), "%d", flags);
		pthread_rwlock_unlock(&rwlock);
		pthread_rwlock_destroy(&rwlock);
	}
	for (unsigned count = 1; count <= RFS_BARRIER_COUNT_MAX && count; count *= 2) {
		pthread_barrierattr_init(&barrier_attributes);
		pthread_barrierattr_setpshared(&barrier_attributes, count == 2);
		cr_assert_eq(pthread_barrier_init(&barrier, &barrier_attributes, count), 0);
		model_memory_put(BASE, &barrier, sizeof(barrier));
		cr_expect(rfs_object_is_possible(&model_memory, BARRIER, BASE), "%u", count);
		pthread_barrier_destroy(&barrier);
	}
	pthread_cond_init(&cond, NULL);
	pthread_cond_destroy(&cond);
	model_memory_put(BASE, &cond, sizeof(cond));
	cr_expect(rfs_object_is_possible(&model_memory, COND, BASE));
	for (int shared = 0; shared < 2; shared++) {
		cr_assert_eq(sem_init(&semaphore, shared, shared ? SEM_VALUE_MAX : 0), 0);
		model_memory_put(BASE, &semaphore, sizeof(semaphore));
		cr_expect(rfs_object_is_possible(&model_memory, SEMAPHORE, BASE), "%d", shared);
	}
}

Test(objects, other_memory_is_impossible)
{
	static const unsigned char fills[] = {0xa5, 0x5a, 0x55, 0x7c, 0xcd, 0xee, 0xff};
	static const enum rfs_object_type types[] = {MUTEX, RWLOCK, COND, BARRIER, SEMAPHORE};
	unsigned char bytes[64];
	pthread_barrier_t barrier;

	for (size_t i = 0; i < sizeof(fills); i++)
		for (size_t k = 0; k < sizeof(types) / sizeof(*types); k++) {
			memset(bytes, fills[i], sizeof(bytes));
			model_memory_put(BASE, bytes, sizeof(bytes));
			cr_expect_not(rfs_object_is_possible(&model_memory, types[k], BASE), "%#x as %s", fills[i],
				      rfs_object_type_name(types[k]));
			cr_expect(rfs_object_is_possible(&model_memory, types[k], NOWHERE));
		}
	for (size_t k = 0; k < sizeof(types) / sizeof(*types); k++) {
		memset(bytes, 0, sizeof(bytes));
		model_memory_put(BASE, bytes, sizeof(bytes));
		cr_expect_not(rfs_object_is_possible(&model_memory, types[k], BASE + 1), "a misaligned object");
	}
	bytes[sizeof(pthread_cond_t) - 1] = 1;
	model_memory_put(BASE, bytes, sizeof(bytes));
	cr_expect_not(rfs_object_is_possible(&model_memory, COND, BASE), "too many signals");
	memset(&barrier, 0, sizeof(barrier));
	model_memory_put(BASE, &barrier, sizeof(barrier));
	cr_expect_not(rfs_object_is_possible(&model_memory, BARRIER, BASE));
	cr_expect(rfs_object_is_possible(&model_memory, MUTEX, BASE));
	cr_expect(rfs_object_is_possible(&model_memory, SEMAPHORE, BASE));
}

Test(objects, types_of_locks)
{
	cr_expect_eq(rfs_object_of_lock(RFS_LOCK_MUTEX), MUTEX);
	cr_expect_eq(rfs_object_of_lock(RFS_LOCK_READ), RWLOCK);
	cr_expect_eq(rfs_object_of_lock(RFS_LOCK_WRITE), RWLOCK);
	cr_expect_eq(rfs_object_of_lock(RFS_LOCK_SPIN), SPIN);
	cr_expect_eq(rfs_object_of_lock(RFS_LOCK_WORD), RFS_OBJECT_UNKNOWN);
}
