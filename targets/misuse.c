/*
 * Uses the thread library wrongly, in the way that the first argument names. The fixed program does the same without
 * the mistake.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

#ifdef FIXED
#define WRONG 0
#else
#define WRONG 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER, third;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int waiting, done;

static void *nothing(void *arg)
{
	return arg;
}

static void unlock_free(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	if (WRONG)
		pthread_mutex_unlock(&lock);
}

static void rwlock_unlock_free(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	if (WRONG)
		pthread_rwlock_unlock(&rwlock);
}

static void *unlocks(void *arg)
{
	if (!WRONG)
		pthread_mutex_lock(&other);
	pthread_mutex_unlock(WRONG ? &lock : &other);
	return arg;
}

static void unlock_other(void)
{
	pthread_mutex_lock(&lock);
	pthread_join(start(unlocks, NULL), NULL);
	if (!WRONG)
		pthread_mutex_unlock(&lock);
}

static void ignores_error(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t checking;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checking, &attributes);
	pthread_mutex_lock(&checking);
	if (WRONG)
		pthread_mutex_lock(&checking);
	else if (pthread_mutex_lock(&checking) != EDEADLK)
		abort();
	pthread_mutex_unlock(&checking);
	pthread_mutex_destroy(&checking);
}

static void *tries(void *arg)
{
	if (WRONG)
		pthread_mutex_trylock(&lock);
	else if (pthread_mutex_trylock(&lock) == 0)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void ignores_busy(void)
{
	pthread_mutex_lock(&lock);
	pthread_join(start(tries, NULL), NULL);
	pthread_mutex_unlock(&lock);
}

static void *tries_long(void *arg)
{
	struct timespec soon = {1, 0};

	if (WRONG)
		pthread_mutex_timedlock(&lock, &soon);
	else if (pthread_mutex_timedlock(&lock, &soon) == 0)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void ignores_timeout(void)
{
	pthread_mutex_lock(&lock);
	pthread_join(start(tries_long, NULL), NULL);
	pthread_mutex_unlock(&lock);
}

static void *dies(void *arg)
{
	pthread_mutex_lock(arg);
	return arg;
}

static void ignores_dead_owner(void)
{
	static pthread_mutex_t robust;
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_join(start(dies, &robust), NULL);
	if (WRONG)
		pthread_mutex_lock(&robust);
	else if (pthread_mutex_lock(&robust) == EOWNERDEAD)
		pthread_mutex_consistent(&robust);
	pthread_mutex_unlock(&robust);
}

static void ignores_bad_time(void)
{
	struct timespec soon = {1, WRONG ? 1000000000 : 999999999};

	pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&cond, &lock, &soon);
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) pthread_t creates(void)
{
	pthread_t thread = 0;

	if (WRONG)
		pthread_create(&thread, NULL, nothing, NULL);
	else if (pthread_create(&thread, NULL, nothing, NULL) != 0)
		return 0;
	return thread;
}

/* The creation only fails as a fault. */
static void ignores_no_thread(void)
{
	pthread_t thread = creates();

	if (thread)
		pthread_join(thread, NULL);
}

static void on_signal(int number)
{
	(void)number;
}

static void *interrupts(void *arg)
{
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	sem_post(&semaphore);
	return arg;
}

static void ignores_interrupt(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	pthread_t self = pthread_self(), thread;

	sigaction(SIGUSR1, &action, NULL);
	sem_init(&semaphore, 0, 0);
	thread = start(interrupts, &self);
	if (WRONG)
		sem_wait(&semaphore);
	else
		while (sem_wait(&semaphore) != 0)
			;
	pthread_join(thread, NULL);
}

static void destroy_held(void)
{
	pthread_mutex_lock(&lock);
	if (!WRONG)
		pthread_mutex_unlock(&lock);
	pthread_mutex_destroy(&lock);
}

/* The waiter has given up the mutex only when it waits. */
static void *waits(void *arg)
{
	pthread_mutex_lock(&lock);
	waiting = 1;
	while (!done)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static int is_waiting(void)
{
	int result;

	pthread_mutex_lock(&lock);
	result = waiting;
	pthread_mutex_unlock(&lock);
	return result;
}

static void end_wait(void)
{
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
}

static void init_waited(void)
{
	pthread_t thread = start(waits, NULL);

	while (!is_waiting())
		sched_yield();
	if (WRONG)
		pthread_cond_init(&cond, NULL);
	end_wait();
	pthread_join(thread, NULL);
	pthread_cond_destroy(&cond);
	pthread_cond_init(&cond, NULL);
}

static void *waits_with_other(void *arg)
{
	pthread_mutex_t *mutex = WRONG ? &other : &lock;

	pthread_mutex_lock(mutex);
	while (!done)
		pthread_cond_wait(&cond, mutex);
	pthread_mutex_unlock(mutex);
	return arg;
}

static void *ends_wait(void *arg)
{
	pthread_mutex_lock(&other);
	end_wait();
	pthread_mutex_unlock(&other);
	return arg;
}

static void wait_mutexes(void)
{
	pthread_t thread = start(waits, NULL), second;

	while (!is_waiting())
		sched_yield();
	second = start(waits_with_other, NULL);
	sched_yield();
	pthread_join(start(ends_wait, NULL), NULL);
	pthread_join(thread, NULL);
	pthread_join(second, NULL);
}

static void wait_unlocked(void)
{
	struct timespec soon = {1, 0};

	if (!WRONG)
		pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&cond, &lock, &soon);
	pthread_mutex_unlock(&lock);
}

static void init_held(void)
{
	pthread_mutex_lock(&lock);
	if (!WRONG) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_destroy(&lock);
	}
	pthread_mutex_init(&lock, NULL);
}

static void init_again(void)
{
	pthread_mutex_init(&third, NULL);
	if (!WRONG)
		pthread_mutex_destroy(&third);
	pthread_mutex_init(&third, NULL);
}

static void init_used(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	if (!WRONG)
		pthread_rwlock_destroy(&rwlock);
	pthread_rwlock_init(&rwlock, NULL);
}

static void init_semaphore_again(void)
{
	sem_init(&semaphore, 0, 1);
	sem_wait(&semaphore);
	if (!WRONG)
		sem_destroy(&semaphore);
	sem_init(&semaphore, 0, 1);
}

/* The correct program may get the same memory again. */
static void init_block_again(void)
{
	pthread_mutex_t *mutex = malloc(sizeof(*mutex));

	pthread_mutex_init(mutex, NULL);
	if (!WRONG) {
		free(mutex);
		mutex = malloc(sizeof(*mutex));
	}
	pthread_mutex_init(mutex, NULL);
	pthread_mutex_destroy(mutex);
	free(mutex);
}

/* Objects on the stack end without a call. */
static __attribute__((noinline)) void use_stack(int semaphores)
{
	union {
		pthread_mutex_t mutex;
		sem_t semaphore;
	} both;

	if (semaphores) {
		sem_init(&both.semaphore, 0, 1);
		sem_wait(&both.semaphore);
	} else {
		pthread_mutex_init(&both.mutex, NULL);
		pthread_mutex_lock(&both.mutex);
		pthread_mutex_unlock(&both.mutex);
	}
}

static void uninitialised_mutex(void)
{
	pthread_mutex_t *mutex = malloc(sizeof(*mutex));

	for (int i = 0; !WRONG && i < 4; i++)
		use_stack(i % 2);
	memset(mutex, 0xa5, sizeof(*mutex));
	if (!WRONG)
		pthread_mutex_init(mutex, NULL);
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	free(mutex);
}

static void uninitialised_rwlock(void)
{
	pthread_rwlock_t *block = malloc(sizeof(*block));

	memset(block, 0xa5, sizeof(*block));
	if (!WRONG)
		pthread_rwlock_init(block, NULL);
	if (pthread_rwlock_tryrdlock(block) == 0)
		pthread_rwlock_unlock(block);
	free(block);
}

static void uninitialised_cond(void)
{
	pthread_cond_t *block = malloc(sizeof(*block));

	memset(block, 0x7c, sizeof(*block));
	if (!WRONG)
		pthread_cond_init(block, NULL);
	pthread_cond_signal(block);
	free(block);
}

static void uninitialised_barrier(void)
{
	if (!WRONG)
		pthread_barrier_init(&barrier, NULL, 1);
	pthread_barrier_wait(&barrier);
}

static void uninitialised_semaphore(void)
{
	if (!WRONG)
		sem_init(&semaphore, 0, 0);
	sem_post(&semaphore);
	sem_wait(&semaphore);
}

static void post_destroyed(void)
{
	sem_init(&semaphore, 0, 1);
	sem_destroy(&semaphore);
	if (!WRONG)
		sem_init(&semaphore, 0, 1);
	sem_post(&semaphore);
}

static void wrong_type(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(WRONG ? (pthread_cond_t *)&lock : &cond);
}

/* The correct program may get the same memory again. */
static void wrong_type_in_block(void)
{
	void *block = malloc(sizeof(pthread_cond_t));

	pthread_mutex_init(block, NULL);
	if (!WRONG) {
		free(block);
		block = malloc(sizeof(pthread_cond_t));
		memset(block, 0, sizeof(pthread_cond_t));
	}
	pthread_cond_signal(block);
	free(block);
}

static void free_held(void)
{
	pthread_mutex_t *mutex = malloc(sizeof(*mutex));

	pthread_mutex_init(mutex, NULL);
	pthread_mutex_lock(mutex);
	if (!WRONG)
		pthread_mutex_unlock(mutex);
	free(mutex);
}

static void use_destroyed(void)
{
	pthread_mutex_destroy(&lock);
	if (!WRONG)
		pthread_mutex_init(&lock, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void signal_destroyed(void)
{
	pthread_cond_destroy(&cond);
	if (!WRONG)
		pthread_cond_init(&cond, NULL);
	pthread_cond_signal(&cond);
}

static void *locks(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!WRONG)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void exit_holding(void)
{
	pthread_join(start(locks, NULL), NULL);
}

static void join_again(void)
{
	pthread_t thread = start(nothing, NULL);

	if (WRONG)
		pthread_detach(thread);
	pthread_join(thread, NULL);
}

/* A thread that was created detached, or that detaches itself, cannot be joined. One that runs on is a daemon. */
static void *detaches(void *arg)
{
	pthread_detach(pthread_self());
	return arg;
}

static void *sleeps(void *arg)
{
	pthread_mutex_lock(&other);
	for (;;)
		pthread_cond_wait(&cond, &other);
	return arg;
}

static void never_joined(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attributes, nothing, NULL);
	start(detaches, NULL);
	start(sleeps, NULL);
	pthread_detach(start(nothing, NULL));
	if (pthread_create(&thread, NULL, nothing, NULL) != 0)
		abort();
	if (WRONG)
		usleep(1000);
	else
		pthread_join(thread, NULL);
}

static void join_detached(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (WRONG)
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attributes, nothing, NULL);
	pthread_join(thread, NULL);
}

static void join_self(void)
{
	if (WRONG)
		pthread_join(pthread_self(), NULL);
	pthread_join(start(nothing, NULL), NULL);
}

static void *meets(void *arg)
{
	pthread_barrier_wait(&barrier);
	return arg;
}

static void destroy_waited(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	thread = start(meets, NULL);
	sched_yield();
	if (WRONG)
		exit(pthread_barrier_destroy(&barrier));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{"unlock-free", unlock_free},
		{"rwlock-unlock-free", rwlock_unlock_free},
		{"unlock-other", unlock_other},
		{"ignores-error", ignores_error},
		{"ignores-busy", ignores_busy},
		{"ignores-timeout", ignores_timeout},
		{"ignores-dead-owner", ignores_dead_owner},
		{"ignores-bad-time", ignores_bad_time},
		{"ignores-no-thread", ignores_no_thread},
		{"ignores-interrupt", ignores_interrupt},
		{"destroy-held", destroy_held},
		{"destroy-waited", destroy_waited},
		{"init-held", init_held},
		{"init-waited", init_waited},
		{"free-held", free_held},
		{"use-destroyed", use_destroyed},
		{"signal-destroyed", signal_destroyed},
		{"wait-unlocked", wait_unlocked},
		{"wait-mutexes", wait_mutexes},
		{"exit-holding", exit_holding},
		{"init-again", init_again},
		{"init-used", init_used},
		{"init-semaphore-again", init_semaphore_again},
		{"init-block-again", init_block_again},
		{"uninitialised-mutex", uninitialised_mutex},
		{"uninitialised-rwlock", uninitialised_rwlock},
		{"uninitialised-cond", uninitialised_cond},
		{"uninitialised-barrier", uninitialised_barrier},
		{"uninitialised-semaphore", uninitialised_semaphore},
		{"post-destroyed", post_destroyed},
		{"wrong-type", wrong_type},
		{"wrong-type-in-block", wrong_type_in_block},
		{"join-again", join_again},
		{"join-self", join_self},
		{"join-detached", join_detached},
		{"never-joined", never_joined},
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
