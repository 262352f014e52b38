/*
 * Wrong uses of condition variables, barriers, semaphores and threads, after what Valgrind's tests of Helgrind and DRD
 * check.
 */
#include "misuse.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_set;

static struct timespec soon(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec++;
	return time;
}

/* tc23_bogus_condwait */
static void wait_unlocked(void)
{
	pthread_mutex_t mutex;
	struct timespec end = soon();

	pthread_mutex_init(&mutex, NULL);
	pthread_cond_timedwait(&changed, &mutex, &end); /* wrong */
}

static void *holds_long(void *arg)
{
	pthread_mutex_lock(arg);
	pause_long();
	pause_long();
	pthread_mutex_unlock(arg);
	return NULL;
}

static void wait_other_holds(void)
{
	struct timespec end = soon();
	pthread_t thread = start(holds_long, &lock);

	pause_long();
	pthread_cond_timedwait(&changed, &lock, &end); /* wrong */
	pthread_join(thread, NULL);
}

static void wait_rwlock(void)
{
	union {
		pthread_mutex_t mutex;
		pthread_rwlock_t rwlock;
	} both;
	struct timespec end = soon();

	memset(&both, 0, sizeof(both));
	pthread_rwlock_init(&both.rwlock, NULL);
	pthread_cond_timedwait(&changed, &both.mutex, &end); /* wrong */
}

/* cond_timedwait_invalid */
static void wait_bad_time(void)
{
	struct timespec end = soon();

	end.tv_nsec = 1000 * 1000 * 1000;
	pthread_mutex_lock(&lock);
	if (pthread_cond_timedwait(&changed, &lock, &end) != EINVAL)
		abort();
	pthread_mutex_unlock(&lock);
}

static void wait_bad_time_ignored(void)
{
	struct timespec end = soon();

	end.tv_nsec = 1000 * 1000 * 1000;
	pthread_mutex_lock(&lock);
	pthread_cond_timedwait(&changed, &lock, &end); /* wrong */
	pthread_mutex_unlock(&lock);
}

/* cond_init_destroy: right */
static void cond_right(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_cond_t cond;

		pthread_cond_init(&cond, NULL);
		pthread_cond_signal(&cond);
		pthread_cond_destroy(&cond);
	}
}

static void cond_again(void)
{
	pthread_cond_t cond;

	pthread_cond_init(&cond, NULL);
	pthread_cond_init(&cond, NULL); /* wrong */
	pthread_cond_destroy(&cond);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!is_set)
		pthread_cond_wait(arg, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* pth_cond_destroy_busy */
static void cond_destroy_waited(void)
{
	static pthread_cond_t cond;

	pthread_cond_init(&cond, NULL);
	start(waits, &cond);
	pause_long();
	alarm(2);		     /* the C library waits for ever */
	pthread_cond_destroy(&cond); /* wrong */
}

/* pth_uninitialized_cond */
static void cond_signal_bytes(void)
{
	pthread_cond_t *cond = malloc(sizeof(*cond));

	memset(cond, 0x5a, sizeof(*cond));
	alarm(2);
	pthread_cond_signal(cond); /* wrong */
	free(cond);
}

static void cond_signal_destroyed(void)
{
	pthread_cond_t cond;

	pthread_cond_init(&cond, NULL);
	pthread_cond_destroy(&cond);
	pthread_cond_signal(&cond); /* wrong */
}

static void cond_destroy_twice(void)
{
	pthread_cond_t cond;

	pthread_cond_init(&cond, NULL);
	pthread_cond_destroy(&cond);
	pthread_cond_destroy(&cond); /* wrong */
}

/* pth_inconsistent_cond_wait */
static void *waits_with(void *arg)
{
	struct timespec end = soon();

	pthread_mutex_lock(arg);
	pthread_cond_timedwait(&changed, arg, &end); /* wrong */
	pthread_mutex_unlock(arg);
	return NULL;
}

static void wait_mutexes(void)
{
	pthread_t first = start(waits_with, &lock), other;

	pause_long();
	other = start(waits_with, &second);
	pthread_join(first, NULL);
	pthread_join(other, NULL);
}

/* pth_cond_race, pth_broadcast: a signal without the mutex, which is allowed */
static void signal_unlocked(void)
{
	pthread_t thread = start(waits, &changed);

	pause_long();
	pthread_mutex_lock(&lock);
	is_set = 1;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&changed);
	pthread_join(thread, NULL);
}

static void cond_as_mutex(void)
{
	union {
		pthread_mutex_t mutex;
		pthread_cond_t cond;
	} both;

	memset(&both, 0, sizeof(both));
	pthread_cond_init(&both.cond, NULL);
	pthread_mutex_trylock(&both.mutex); /* wrong */
}

static void mutex_as_cond(void)
{
	union {
		pthread_mutex_t mutex;
		pthread_cond_t cond;
	} both;

	memset(&both, 0, sizeof(both));
	pthread_mutex_init(&both.mutex, NULL);
	pthread_cond_signal(&both.cond); /* wrong */
}

/* bar_bad */
static void barrier_zero(void)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 0); /* wrong */
}

static void barrier_again(void)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 1);
	pthread_barrier_init(&barrier, NULL, 1); /* wrong */
	pthread_barrier_destroy(&barrier);
}

static void *meets(void *arg)
{
	pthread_barrier_wait(arg);
	return NULL;
}

static void barrier_init_waited(void)
{
	static pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 2);
	start(meets, &barrier);
	pause_long();
	pthread_barrier_init(&barrier, NULL, 2); /* wrong */
	exit(0);
}

static void barrier_destroy_waited(void)
{
	static pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 2);
	start(meets, &barrier);
	pause_long();
	alarm(2);			   /* the C library waits for ever */
	pthread_barrier_destroy(&barrier); /* wrong */
}

static void barrier_destroy_zeros(void)
{
	static pthread_barrier_t barrier;

	pthread_barrier_destroy(&barrier); /* wrong */
}

static void barrier_destroy_twice(void)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 1);
	pthread_barrier_destroy(&barrier);
	pthread_barrier_destroy(&barrier); /* wrong */
}

static void barrier_destroy_bytes(void)
{
	pthread_barrier_t *barrier = malloc(sizeof(*barrier));

	memset(barrier, 0x55, sizeof(*barrier));
	alarm(2);
	pthread_barrier_destroy(barrier); /* wrong */
	free(barrier);
}

/* bar_trivial, pth_barrier_reinit: right */
static void barrier_right(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_barrier_t barrier;
		pthread_t thread;

		pthread_barrier_init(&barrier, NULL, 2);
		thread = start(meets, &barrier);
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
		pthread_barrier_destroy(&barrier);
	}
}

/* tc18_semabuse */
static void semaphore_large(void)
{
	sem_t semaphore;

	if (sem_init(&semaphore, 0, ~0u) == 0) /* wrong */
		abort();
}

static void semaphore_bytes(void)
{
	sem_t semaphore;

	memset(&semaphore, 0x55, sizeof(semaphore));
	sem_wait(&semaphore); /* wrong */
}

static void semaphore_bytes_post(void)
{
	sem_t semaphore;

	memset(&semaphore, 0xff, sizeof(semaphore));
	sem_post(&semaphore); /* wrong */
}

static void semaphore_again(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 1);
	sem_wait(&semaphore);
	sem_init(&semaphore, 0, 0); /* wrong */
	sem_destroy(&semaphore);
}

static void semaphore_destroyed(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 1);
	sem_destroy(&semaphore);
	sem_post(&semaphore); /* wrong */
}

static void semaphore_destroy_twice(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 1);
	sem_destroy(&semaphore);
	sem_destroy(&semaphore); /* wrong */
}

static void *takes(void *arg)
{
	sem_wait(arg);
	return NULL;
}

static void semaphore_destroy_waited(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	start(takes, &semaphore);
	pause_long();
	sem_destroy(&semaphore); /* wrong */
	exit(0);
}

static void semaphore_overflow(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, SEM_VALUE_MAX);
	sem_post(&semaphore); /* wrong */
	sem_destroy(&semaphore);
}

/* tc17_sembar, tc24_nonzero_sem, sem_wait: right */
static void semaphore_right(void)
{
	sem_t semaphore;
	pthread_t thread;

	sem_init(&semaphore, 0, 1);
	sem_wait(&semaphore);
	thread = start(takes, &semaphore);
	sem_post(&semaphore);
	pthread_join(thread, NULL);
	sem_destroy(&semaphore);
}

/* sem_open */
static void semaphore_named(void)
{
	char name[40];
	sem_t *semaphore;

	snprintf(name, sizeof(name), "/misuse-peers-%d", getpid());
	semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	if (semaphore == SEM_FAILED)
		return;
	sem_unlink(name);
	pthread_join(start(takes, semaphore), NULL);
	sem_post(semaphore);
	sem_close(semaphore);
}

/* pth_detached, tc20_verifywrap */
static void join_twice(void)
{
	pthread_t thread = start(nothing, NULL);

	pthread_join(thread, NULL);
	if (pthread_join(pthread_self(), NULL) != EDEADLK) /* wrong */
		abort();
}

static void join_detached(void)
{
	pthread_t thread;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attributes, holds_long, &lock);
	if (pthread_join(thread, NULL) != EINVAL) /* wrong */
		abort();
	pause_long();
	pause_long();
	pause_long();
}

static void *sleeps(void *arg)
{
	pause_long();
	return arg;
}

static void detach_twice(void)
{
	pthread_t thread = start(sleeps, NULL);

	pthread_detach(thread);
	if (pthread_detach(thread) != EINVAL) /* wrong */
		abort();
	pause_long();
	pause_long();
}

static void never_joined(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, nothing, NULL); /* wrong */
	pause_long();
}

static void create_fails(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 50);
	pthread_create(&thread, &attributes, nothing, NULL); /* wrong */
}

/* a cancelled thread holds the lock: pth_cancel_locked */
static void *waits_to_be_cancelled(void *arg)
{
	pthread_mutex_lock(arg); /* wrong */
	for (;;)
		pause_long();
	return NULL;
}

static void cancel_holding(void)
{
	pthread_t thread = start(waits_to_be_cancelled, &lock);

	pause_long();
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

/* tc21_pthonce, and a variable without the protection of once */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int unprotected;

static void initialises(void)
{
	unprotected = 1;
}

static void *calls_once(void *arg)
{
	pthread_once(&once, initialises);
	unprotected++; /* wrong */
	return arg;
}

static void once_and_race(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		threads[i] = start(calls_once, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* pth_barrier3, matinv: rows that another thread needs before the barrier */
static pthread_barrier_t barrier;
static int rows[2];

static void *computes(void *arg)
{
	const size_t i = (size_t)arg;

	rows[i] = 1;
	pthread_barrier_wait(&barrier);
	rows[i] += rows[1 - i]; /* wrong */
	return NULL;
}

static void barrier_race(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (size_t i = 0; i < 2; i++)
		threads[i] = start(computes, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

/* free_is_write */
static int *block;

static void *writes_block(void *arg)
{
	*block = 1; /* wrong */
	return arg;
}

static void free_is_write(void)
{
	pthread_t thread;

	block = malloc(sizeof(*block));
	thread = start(writes_block, NULL);
	pause_long();
	free(block); /* wrong */
	pthread_join(thread, NULL);
}

/* unit_bitmap, tc16_byterace: bytes of one word that two threads write, which is right; and a bit field */
static char bytes[8];
static struct {
	unsigned low : 4, high : 4;
} fields;

static void *writes_byte(void *arg)
{
	bytes[(size_t)arg] = 1;
	return NULL;
}

static void bytes_right(void)
{
	pthread_t thread = start(writes_byte, (void *)1);

	bytes[0] = 1;
	pthread_join(thread, NULL);
}

static void *writes_field(void *arg)
{
	fields.high = 1; /* wrong */
	return arg;
}

static void bit_field(void)
{
	pthread_t thread = start(writes_field, NULL);

	fields.low = 1; /* wrong */
	pthread_join(thread, NULL);
}

/* thread_name */
static void thread_name_right(void)
{
	pthread_t thread = start(sleeps, NULL);

	pthread_setname_np(thread, "sleeper");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{"wait-unlocked", wait_unlocked},
		{"wait-other-holds", wait_other_holds},
		{"wait-rwlock", wait_rwlock},
		{"wait-bad-time", wait_bad_time},
		{"wait-bad-time-ignored", wait_bad_time_ignored},
		{"cond-right", cond_right},
		{"cond-again", cond_again},
		{"cond-destroy-waited", cond_destroy_waited},
		{"cond-signal-bytes", cond_signal_bytes},
		{"cond-signal-destroyed", cond_signal_destroyed},
		{"cond-destroy-twice", cond_destroy_twice},
		{"wait-mutexes", wait_mutexes},
		{"signal-unlocked", signal_unlocked},
		{"cond-as-mutex", cond_as_mutex},
		{"mutex-as-cond", mutex_as_cond},
		{"barrier-zero", barrier_zero},
		{"barrier-again", barrier_again},
		{"barrier-init-waited", barrier_init_waited},
		{"barrier-destroy-waited", barrier_destroy_waited},
		{"barrier-destroy-zeros", barrier_destroy_zeros},
		{"barrier-destroy-twice", barrier_destroy_twice},
		{"barrier-destroy-bytes", barrier_destroy_bytes},
		{"barrier-right", barrier_right},
		{"semaphore-large", semaphore_large},
		{"semaphore-bytes", semaphore_bytes},
		{"semaphore-bytes-post", semaphore_bytes_post},
		{"semaphore-again", semaphore_again},
		{"semaphore-destroyed", semaphore_destroyed},
		{"semaphore-destroy-twice", semaphore_destroy_twice},
		{"semaphore-destroy-waited", semaphore_destroy_waited},
		{"semaphore-overflow", semaphore_overflow},
		{"semaphore-right", semaphore_right},
		{"semaphore-named", semaphore_named},
		{"join-twice", join_twice},
		{"join-detached", join_detached},
		{"detach-twice", detach_twice},
		{"never-joined", never_joined},
		{"create-fails", create_fails},
		{"cancel-holding", cancel_holding},
		{"once-and-race", once_and_race},
		{"barrier-race", barrier_race},
		{"free-is-write", free_is_write},
		{"bytes-right", bytes_right},
		{"bit-field", bit_field},
		{"thread-name-right", thread_name_right},
	};

	return run_way(ways, sizeof(ways) / sizeof(*ways), argc, argv);
}
