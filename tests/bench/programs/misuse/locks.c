/* Wrong uses of mutexes, readers-writer locks and spin locks, after what Valgrind's tests of Helgrind and DRD check. */
#include "misuse.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

/* tc09_bad_unlock */
static void unlock_free(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_unlock(&mutex); /* wrong */
	pthread_mutex_destroy(&mutex);
}

static void *unlocks(void *arg)
{
	pthread_mutex_unlock(arg); /* wrong */
	return NULL;
}

static void unlock_other(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
	pthread_join(start(unlocks, &mutex), NULL);
	pthread_mutex_destroy(&mutex);
}

static void unlock_bytes(void)
{
	struct {
		char before[100];
		pthread_mutex_t mutex;
		char after[100];
	} bytes;

	memset(&bytes, 0x55, sizeof(bytes));
	pthread_mutex_unlock(&bytes.mutex); /* wrong */
}

static void init_bytes(pthread_mutex_t *mutex, int type)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

/* tc10_rec_lock */
static void recursive_once_more(void)
{
	pthread_mutex_t mutex;

	init_bytes(&mutex, PTHREAD_MUTEX_RECURSIVE);
	for (int i = 0; i < 4; i++)
		pthread_mutex_lock(&mutex);
	for (int i = 0; i < 4; i++)
		pthread_mutex_unlock(&mutex);
	pthread_mutex_unlock(&mutex); /* wrong */
	pthread_mutex_destroy(&mutex);
}

/* recursive_mutex */
static void errorcheck_twice(void)
{
	pthread_mutex_t mutex;

	init_bytes(&mutex, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex); /* wrong */
	pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
}

static void errorcheck_free(void)
{
	pthread_mutex_t mutex;

	init_bytes(&mutex, PTHREAD_MUTEX_ERRORCHECK);
	if (pthread_mutex_unlock(&mutex) != EPERM) /* wrong */
		abort();
	pthread_mutex_destroy(&mutex);
}

static void try_again(void)
{
	pthread_mutex_lock(&lock);
	if (pthread_mutex_trylock(&lock) != EBUSY)
		abort();
	pthread_mutex_unlock(&lock);
}

/* pth_mutex_reinit */
static void mutex_again(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_init(&mutex, NULL); /* wrong */
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
}

static void mutex_init_held(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_init(&mutex, NULL); /* wrong */
	pthread_mutex_destroy(&mutex);
}

/* tc20_verifywrap */
static void destroy_held(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_destroy(&mutex); /* wrong */
}

static void destroy_bytes(void)
{
	pthread_mutex_t mutex;

	memset(&mutex, 0xff, sizeof(mutex));
	pthread_mutex_destroy(&mutex); /* wrong */
}

static void destroy_twice(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_destroy(&mutex);
	pthread_mutex_destroy(&mutex); /* wrong */
}

static void lock_bytes(void)
{
	pthread_mutex_t mutex;

	memset(&mutex, 0xff, sizeof(mutex));
	pthread_mutex_lock(&mutex); /* wrong */
}

static void trylock_bytes(void)
{
	pthread_mutex_t mutex;

	memset(&mutex, 0xff, sizeof(mutex));
	pthread_mutex_trylock(&mutex); /* wrong */
}

static void timedlock_bytes(void)
{
	struct timespec soon = {1, 0};
	pthread_mutex_t mutex;

	memset(&mutex, 0xff, sizeof(mutex));
	pthread_mutex_timedlock(&mutex, &soon); /* wrong */
}

static void attributes_bytes(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;

	memset(&attributes, 0xff, sizeof(attributes));
	pthread_mutex_init(&mutex, &attributes); /* wrong */
}

/* tc22_exit_w_lock, hold_lock */
static void *exits_holding(void *arg)
{
	pthread_mutex_lock(arg); /* wrong */
	return NULL;
}

static void exit_holding(void)
{
	pthread_join(start(exits_holding, &lock), NULL);
}

static void *exits_holding_stack(void *arg)
{
	pthread_mutex_t mutex;

	(void)arg;
	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex); /* wrong */
	return NULL;
}

static void exit_holding_stack(void)
{
	pthread_join(start(exits_holding_stack, NULL), NULL);
}

static void *reads_and_exits(void *arg)
{
	pthread_rwlock_rdlock(arg); /* wrong */
	return NULL;
}

static void exit_reading(void)
{
	pthread_join(start(reads_and_exits, &rwlock), NULL);
}

/* the process ends; the lock with it */
static void process_holding(void)
{
	pthread_mutex_lock(&lock);
}

/* free of memory with a lock that is held; hold_lock */
static void free_held(void)
{
	pthread_mutex_t *mutex = malloc(sizeof(*mutex));

	pthread_mutex_init(mutex, NULL);
	pthread_mutex_lock(mutex);
	free(mutex); /* wrong */
}

/* tc12_rwl_trivial */
static void rwlock_unlock_free(void)
{
	pthread_rwlock_t local;

	pthread_rwlock_init(&local, NULL);
	pthread_rwlock_rdlock(&local);
	pthread_rwlock_rdlock(&local);
	pthread_rwlock_unlock(&local);
	pthread_rwlock_unlock(&local);
	pthread_rwlock_unlock(&local); /* wrong */
	pthread_rwlock_destroy(&local);
}

static void *rwlock_unlocks(void *arg)
{
	pthread_rwlock_unlock(arg); /* wrong */
	return NULL;
}

static void rwlock_unlock_other(void)
{
	pthread_rwlock_t local;

	pthread_rwlock_init(&local, NULL);
	pthread_rwlock_wrlock(&local);
	pthread_join(start(rwlock_unlocks, &local), NULL);
	pthread_rwlock_destroy(&local);
}

static void rwlock_again(void)
{
	pthread_rwlock_t local;

	pthread_rwlock_init(&local, NULL);
	pthread_rwlock_init(&local, NULL); /* wrong */
	pthread_rwlock_destroy(&local);
}

static void rwlock_destroy_held(void)
{
	pthread_rwlock_t local;

	pthread_rwlock_init(&local, NULL);
	pthread_rwlock_wrlock(&local);
	pthread_rwlock_destroy(&local); /* wrong */
}

static void rwlock_destroy_read(void)
{
	pthread_rwlock_t local;

	pthread_rwlock_init(&local, NULL);
	pthread_rwlock_rdlock(&local);
	pthread_rwlock_destroy(&local); /* wrong */
}

/* rwlock_test: readers and writers, in the right way */
static void *reads_and_writes(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_rwlock_rdlock(arg);
		pthread_rwlock_unlock(arg);
		if (pthread_rwlock_trywrlock(arg) == 0)
			pthread_rwlock_unlock(arg);
		pthread_rwlock_wrlock(arg);
		pthread_rwlock_unlock(arg);
	}
	return NULL;
}

static void rwlock_right(void)
{
	pthread_rwlock_t local;
	pthread_t thread;

	pthread_rwlock_init(&local, NULL);
	thread = start(reads_and_writes, &local);
	reads_and_writes(&local);
	pthread_join(thread, NULL);
	pthread_rwlock_destroy(&local);
}

static void rwlock_write_twice(void)
{
	pthread_rwlock_t local;

	pthread_rwlock_init(&local, NULL);
	pthread_rwlock_wrlock(&local);
	pthread_rwlock_wrlock(&local); /* wrong */
	pthread_rwlock_unlock(&local);
	pthread_rwlock_destroy(&local);
}

static void rwlock_read_and_write(void)
{
	pthread_rwlock_t local;

	pthread_rwlock_init(&local, NULL);
	pthread_rwlock_wrlock(&local);
	pthread_rwlock_rdlock(&local); /* wrong */
	pthread_rwlock_unlock(&local);
	pthread_rwlock_destroy(&local);
}

/* pth_spinlock */
static void spin_again(void)
{
	pthread_spinlock_t spin;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	pthread_spin_destroy(&spin);
}

static void *spin_unlocks(void *arg)
{
	pthread_spin_unlock(arg); /* wrong */
	return NULL;
}

static void spin_unlock_other(void)
{
	static pthread_spinlock_t spin;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&spin);
	pthread_join(start(spin_unlocks, (void *)&spin), NULL);
	pthread_spin_destroy(&spin);
}

/* tc13_laog1, tc15_laog_lockdel */
static void lock_order(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&second);
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&second);
}

static void *locks_backwards(void *arg)
{
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&lock); /* wrong */
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&second);
	return arg;
}

static void lock_order_threads(void)
{
	pthread_t thread;

	thread = start(locks_backwards, NULL);
	pause_long();
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&second); /* wrong */
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
}

/* tc14_laog_dinphils */
static pthread_mutex_t chopsticks[5];

static void *eats(void *arg)
{
	const size_t i = (size_t)arg;

	pthread_mutex_lock(&chopsticks[i]);
	pthread_mutex_lock(&chopsticks[(i + 1) % 5]); /* wrong */
	pthread_mutex_unlock(&chopsticks[i]);
	pthread_mutex_unlock(&chopsticks[(i + 1) % 5]);
	return NULL;
}

static void philosophers(void)
{
	pthread_t threads[5];

	for (int i = 0; i < 5; i++)
		pthread_mutex_init(&chopsticks[i], NULL);
	for (size_t i = 0; i < 5; i++) {
		threads[i] = start(eats, (void *)i);
		pause_long();
	}
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
}

/* rwlock_type_checking, sem_as_mutex */
static void mutex_as_rwlock(void)
{
	union {
		pthread_mutex_t mutex;
		pthread_rwlock_t rwlock;
	} both;

	pthread_mutex_init(&both.mutex, NULL);
	pthread_rwlock_rdlock(&both.rwlock); /* wrong */
	pthread_rwlock_unlock(&both.rwlock);
}

static void rwlock_as_mutex(void)
{
	union {
		pthread_mutex_t mutex;
		pthread_rwlock_t rwlock;
	} both;

	pthread_rwlock_init(&both.rwlock, NULL);
	pthread_mutex_lock(&both.mutex); /* wrong */
	pthread_mutex_unlock(&both.mutex);
}

static void mutex_as_spin(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_spin_trylock((pthread_spinlock_t *)&mutex); /* wrong */
}

static void semaphore_as_mutex(void)
{
	union {
		pthread_mutex_t mutex;
		sem_t semaphore;
	} both;

	memset(&both, 0, sizeof(both));
	sem_init(&both.semaphore, 0, 0);
	pthread_mutex_trylock(&both.mutex); /* wrong */
}

static void mutex_as_semaphore(void)
{
	union {
		pthread_mutex_t mutex;
		sem_t semaphore;
	} both;

	memset(&both, 0, sizeof(both));
	pthread_mutex_init(&both.mutex, NULL);
	sem_post(&both.semaphore); /* wrong */
}

static void bytes_on_heap(void)
{
	pthread_mutex_t *mutex = malloc(sizeof(*mutex));

	memset(mutex, 0x5a, sizeof(*mutex));
	pthread_mutex_trylock(mutex); /* wrong */
	free(mutex);
}

/* stackteardown, and right uses of many locks */
static void *uses_many(void *arg)
{
	pthread_mutex_t mutexes[20];

	for (int i = 0; i < 20; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	for (int i = 0; i < 20; i++)
		pthread_mutex_lock(&mutexes[i]);
	for (int i = 0; i < 20; i++)
		pthread_mutex_unlock(&mutexes[i]);
	for (int i = 0; i < 20; i++)
		pthread_mutex_destroy(&mutexes[i]);
	return arg;
}

static void many_right(void)
{
	for (int i = 0; i < 3; i++)
		pthread_join(start(uses_many, NULL), NULL);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{"unlock-free", unlock_free},
		{"unlock-other", unlock_other},
		{"unlock-bytes", unlock_bytes},
		{"recursive-once-more", recursive_once_more},
		{"errorcheck-twice", errorcheck_twice},
		{"errorcheck-free", errorcheck_free},
		{"try-again", try_again},
		{"mutex-again", mutex_again},
		{"mutex-init-held", mutex_init_held},
		{"destroy-held", destroy_held},
		{"destroy-bytes", destroy_bytes},
		{"destroy-twice", destroy_twice},
		{"lock-bytes", lock_bytes},
		{"trylock-bytes", trylock_bytes},
		{"timedlock-bytes", timedlock_bytes},
		{"attributes-bytes", attributes_bytes},
		{"exit-holding", exit_holding},
		{"exit-holding-stack", exit_holding_stack},
		{"exit-reading", exit_reading},
		{"process-holding", process_holding},
		{"free-held", free_held},
		{"rwlock-unlock-free", rwlock_unlock_free},
		{"rwlock-unlock-other", rwlock_unlock_other},
		{"rwlock-again", rwlock_again},
		{"rwlock-destroy-held", rwlock_destroy_held},
		{"rwlock-destroy-read", rwlock_destroy_read},
		{"rwlock-right", rwlock_right},
		{"rwlock-write-twice", rwlock_write_twice},
		{"rwlock-read-and-write", rwlock_read_and_write},
		{"spin-again", spin_again},
		{"spin-unlock-other", spin_unlock_other},
		{"lock-order", lock_order},
		{"lock-order-threads", lock_order_threads},
		{"philosophers", philosophers},
		{"mutex-as-rwlock", mutex_as_rwlock},
		{"rwlock-as-mutex", rwlock_as_mutex},
		{"mutex-as-spin", mutex_as_spin},
		{"semaphore-as-mutex", semaphore_as_mutex},
		{"mutex-as-semaphore", mutex_as_semaphore},
		{"bytes-on-heap", bytes_on_heap},
		{"many-right", many_right},
	};

	return run_way(ways, sizeof(ways) / sizeof(*ways), argc, argv);
}
