/*
 * Uses objects on the stack of a function wrongly, and gives wrong arguments to initialisers, in the way that the first
 * argument names. The fixed program does the same without the mistake.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

#ifdef FIXED
#define WRONG 0
#else
#define WRONG 1
#endif

/* Each way has a frame, which ends before the next one begins. */
#define WAY static __attribute__((noinline)) void

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t tokens, now;

static void *nothing(void *arg)
{
	return arg;
}

WAY mutex_twice(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	if (!WRONG)
		pthread_mutex_destroy(&mutex);
	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_destroy(&mutex);
}

WAY rwlock_twice(void)
{
	pthread_rwlock_t rwlock;

	for (int i = 0; i < 2; i++) {
		pthread_rwlock_init(&rwlock, NULL);
		if (!WRONG)
			pthread_rwlock_destroy(&rwlock);
	}
}

WAY cond_twice(void)
{
	pthread_cond_t conds[3];

	for (int i = 0; i < 3; i++)
		pthread_cond_init(&conds[i], NULL);
	if (!WRONG)
		pthread_cond_destroy(&conds[1]);
	pthread_cond_init(&conds[1], NULL);
	for (int i = 0; i < 3; i++)
		pthread_cond_destroy(&conds[i]);
}

struct queue {
	int n;
	sem_t items;
};

static __attribute__((noinline)) void begin(struct queue *queue, unsigned n)
{
	queue->n = (int)n;
	sem_init(&queue->items, 0, n);
}

/* The program's own function initialises it, both times. */
WAY semaphore_twice(void)
{
	struct queue queue;

	begin(&queue, 1);
	sem_wait(&queue.items);
	if (!WRONG)
		sem_destroy(&queue.items);
	begin(&queue, 1);
	sem_destroy(&queue.items);
}

static void *begins_again(void *arg)
{
	if (!WRONG)
		pthread_barrier_destroy(arg);
	pthread_barrier_init(arg, NULL, 1);
	return arg;
}

/* Another thread initialises it again. */
WAY barrier_twice(void)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_join(start(begins_again, &barrier), NULL);
	pthread_barrier_wait(&barrier);
	pthread_barrier_destroy(&barrier);
}

WAY post_destroyed(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 1);
	sem_destroy(&semaphore);
	if (!WRONG)
		sem_init(&semaphore, 0, 1);
	sem_post(&semaphore);
}

WAY post_garbage(void)
{
	sem_t semaphore;

	memset(&semaphore, 0x55, sizeof(semaphore));
	if (!WRONG)
		sem_init(&semaphore, 0, 1);
	sem_wait(&semaphore);
}

WAY wrong_type(void)
{
	union {
		pthread_rwlock_t rwlock;
		pthread_cond_t cond;
	} object;

	pthread_rwlock_init(&object.rwlock, NULL);
	if (!WRONG) {
		pthread_rwlock_destroy(&object.rwlock);
		pthread_cond_init(&object.cond, NULL);
	}
	pthread_cond_signal(&object.cond);
}

static __attribute__((noinline)) void returns_holding(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
	if (!WRONG)
		pthread_mutex_unlock(&mutex);
}

WAY leave_held(void)
{
	returns_holding();
}

static void *takes(void *arg)
{
	sem_post(&now);
	sem_wait(arg);
	return arg;
}

static __attribute__((noinline)) pthread_t returns_waited(void)
{
	pthread_t thread;
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	thread = start(takes, &semaphore);
	sem_wait(&now);
	if (!WRONG) {
		sem_post(&semaphore);
		pthread_join(thread, NULL);
		return 0;
	}
	return thread;
}

WAY leave_waited(void)
{
	sem_init(&now, 0, 0);
	if (returns_waited())
		exit(0);
}

WAY destroy_waited(void)
{
	pthread_t thread;

	sem_init(&now, 0, 0);
	sem_init(&tokens, 0, 0);
	thread = start(takes, &tokens);
	sem_wait(&now);
	if (!WRONG) {
		sem_post(&tokens);
		pthread_join(thread, NULL);
	}
	sem_destroy(&tokens);
	if (WRONG)
		exit(0);
}

static void init_checking(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

/* The C library reports the error, but no program asks a condition variable whether it holds a mutex. */
WAY wait_checking(void)
{
	struct timespec soon = {1, 0};
	pthread_mutex_t mutex;

	init_checking(&mutex);
	if (!WRONG)
		pthread_mutex_lock(&mutex);
	if (pthread_cond_timedwait(&changed, &mutex, &soon) != EPERM)
		pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
}

static void *waits_with(void *arg)
{
	struct timespec soon = {1, 0};

	if (!WRONG)
		pthread_mutex_lock(arg);
	if (pthread_cond_timedwait(&changed, arg, &soon) != EPERM)
		pthread_mutex_unlock(arg);
	return arg;
}

WAY wait_other(void)
{
	pthread_mutex_t mutex;

	init_checking(&mutex);
	if (WRONG)
		pthread_mutex_lock(&mutex);
	pthread_join(start(waits_with, &mutex), NULL);
	if (WRONG)
		pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
}

WAY count_zero(void)
{
	pthread_barrier_t barrier;

	if (pthread_barrier_init(&barrier, NULL, !WRONG) == 0)
		pthread_barrier_destroy(&barrier);
}

WAY large_value(void)
{
	sem_t semaphore;

	if (sem_init(&semaphore, 0, WRONG ? ~0u : ~0u >> 1) == 0)
		sem_destroy(&semaphore);
}

WAY attribute_type(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	if (pthread_mutexattr_settype(&attributes, WRONG ? 77 : PTHREAD_MUTEX_RECURSIVE) != 0)
		pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL);
}

WAY attribute_shared(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, WRONG ? 5 : PTHREAD_PROCESS_SHARED);
}

WAY attribute_protocol(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, WRONG ? -1 : PTHREAD_PRIO_INHERIT);
}

WAY attributes_garbage(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;

	memset(&attributes, 0xff, sizeof(attributes));
	if (!WRONG)
		pthread_mutexattr_init(&attributes);
	if (pthread_mutex_init(&mutex, &attributes) == 0)
		pthread_mutex_destroy(&mutex);
}

WAY cond_garbage(void)
{
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	if (WRONG)
		((volatile char *)&cond)[sizeof(cond) - 1] ^= 1;
	pthread_cond_signal(&cond);
}

WAY mutex_garbage(void)
{
	pthread_mutex_t mutex;

	memset(&mutex, 0xff, sizeof(mutex));
	if (!WRONG)
		pthread_mutex_init(&mutex, NULL);
	if (pthread_mutex_trylock(&mutex) == 0)
		pthread_mutex_unlock(&mutex);
}

/* The C library refuses it, but the memory is no mutex. The result is returned. */
static __attribute__((noinline)) int unlocks_garbage(void)
{
	pthread_mutex_t mutex;

	memset(&mutex, 0x55, sizeof(mutex));
	if (!WRONG) {
		init_checking(&mutex);
		pthread_mutex_lock(&mutex);
	}
	return pthread_mutex_unlock(&mutex);
}

WAY unlock_garbage(void)
{
	if ((unlocks_garbage() != 0) != WRONG)
		abort();
}

WAY mutex_destroyed(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_destroy(&mutex);
	if (!WRONG)
		mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_destroy(&mutex);
}

WAY cond_destroyed(void)
{
	pthread_cond_t cond;

	pthread_cond_init(&cond, NULL);
	pthread_cond_destroy(&cond);
	if (!WRONG)
		memset(&cond, 0, sizeof(cond));
	pthread_cond_destroy(&cond);
}

WAY mutex_as_spin(void)
{
	union {
		pthread_mutex_t mutex;
		pthread_spinlock_t spin;
	} object;

	pthread_mutex_init(&object.mutex, NULL);
	if (!WRONG)
		pthread_spin_init(&object.spin, PTHREAD_PROCESS_PRIVATE);
	if (pthread_spin_trylock(&object.spin) == 0)
		pthread_spin_unlock(&object.spin);
}

/* The barrier's memory is a block that another use has filled. */
WAY destroy_garbage(void)
{
	pthread_barrier_t *barrier = calloc(1, sizeof(*barrier));

	((unsigned *)barrier)[2] = 2;
	((unsigned *)barrier)[3] = WRONG;
	pthread_barrier_destroy(barrier);
	free(barrier);
}

WAY misaligned(void)
{
	char memory[2 * sizeof(pthread_mutex_t)] __attribute__((aligned(8))) = {0};
	pthread_mutex_t *mutex = (pthread_mutex_t *)(memory + (WRONG ? 1 : 8));

	if (pthread_mutex_trylock(mutex) == 0 && !WRONG)
		pthread_mutex_unlock(mutex);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{"mutex-twice", mutex_twice},
		{"rwlock-twice", rwlock_twice},
		{"cond-twice", cond_twice},
		{"semaphore-twice", semaphore_twice},
		{"barrier-twice", barrier_twice},
		{"post-destroyed", post_destroyed},
		{"post-garbage", post_garbage},
		{"wrong-type", wrong_type},
		{"leave-held", leave_held},
		{"leave-waited", leave_waited},
		{"destroy-waited", destroy_waited},
		{"wait-checking", wait_checking},
		{"wait-other", wait_other},
		{"count-zero", count_zero},
		{"large-value", large_value},
		{"attribute-type", attribute_type},
		{"attribute-shared", attribute_shared},
		{"attribute-protocol", attribute_protocol},
		{"attributes-garbage", attributes_garbage},
		{"cond-garbage", cond_garbage},
		{"mutex-garbage", mutex_garbage},
		{"destroy-garbage", destroy_garbage},
		{"misaligned", misaligned},
		{"unlock-garbage", unlock_garbage},
		{"mutex-destroyed", mutex_destroyed},
		{"cond-destroyed", cond_destroyed},
		{"mutex-as-spin", mutex_as_spin},
	};

	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(ways[i].name, argv[1]) == 0) {
			ways[i].run();
			/* a second thread in each of them */
			pthread_join(start(nothing, NULL), NULL);
			return 0;
		}
	return 2;
}
