/* sync.c - locks, conditions and futexes, within a program and between processes. */
#include "calls.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

static void *shared_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void mutex_of(pthread_mutex_t *mutex, int shared, int robust, int protocol)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, shared);
	pthread_mutexattr_setrobust(&attr, robust);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutex_init(mutex, &attr);
}

static int robust_child(void)
{
	pthread_mutex_t *mutex = shared_page();

	mutex_of(mutex, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	CHECK(IN_CHILD(pthread_mutex_lock(mutex)) == 0);
	CHECK(pthread_mutex_lock(mutex) == EOWNERDEAD);
	CHECK(pthread_mutex_consistent(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
	CHECK(pthread_mutex_lock(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
	return 0;
}

/* the parent waits when the child dies */
static int robust_waits(void)
{
	pthread_mutex_t *mutex = shared_page();
	int ends[2], status;
	char byte;
	pid_t child;

	mutex_of(mutex, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		pthread_mutex_lock(mutex);
		(void)!write(ends[1], "x", 1);
		usleep(100000);
		raise(SIGKILL);
	}
	CHECK(read(ends[0], &byte, 1) == 1);
	CHECK(pthread_mutex_lock(mutex) == EOWNERDEAD);
	CHECK(pthread_mutex_consistent(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
	CHECK(waitpid(child, &status, 0) == child && WTERMSIG(status) == SIGKILL);
	return 0;
}

/* the parent leaves the lock; the child waits */
static int robust_parent(void)
{
	pthread_mutex_t *mutex = shared_page();
	int status;
	pid_t child, grandchild;

	mutex_of(mutex, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	child = fork();
	if (child == 0) {
		pthread_mutex_lock(mutex);
		grandchild = fork();
		if (grandchild == 0) {
			alarm(20);
			status = pthread_mutex_lock(mutex);
			((int *)mutex)[100] = status;
			_exit(0);
		}
		usleep(50000);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	for (int i = 0; i < 100 && !((volatile int *)mutex)[100]; i++)
		usleep(10000);
	CHECK(((volatile int *)mutex)[100] == EOWNERDEAD);
	return 0;
}

static int error_checks(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t mutex;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &attr);
	CHECK(pthread_mutex_unlock(&mutex) == EPERM && pthread_mutex_lock(&mutex) == 0);
	CHECK(pthread_mutex_lock(&mutex) == EDEADLK && pthread_mutex_trylock(&mutex) == EBUSY);
	CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_destroy(&mutex) == 0);
	return 0;
}

static int processes_share(void)
{
	struct {
		pthread_mutex_t mutex;
		pthread_cond_t cond;
		sem_t sem;
		pthread_barrier_t barrier;
		int ready;
	} *s = shared_page();
	pthread_condattr_t cond;
	pthread_barrierattr_t barrier;
	int status;
	pid_t child;

	mutex_of(&s->mutex, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&s->cond, &cond);
	pthread_barrierattr_init(&barrier);
	pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&s->barrier, &barrier, 2);
	sem_init(&s->sem, 1, 0);
	child = fork();
	if (child == 0) {
		usleep(20000);
		pthread_mutex_lock(&s->mutex);
		s->ready = 1;
		pthread_cond_signal(&s->cond);
		pthread_mutex_unlock(&s->mutex);
		pthread_barrier_wait(&s->barrier);
		usleep(20000);
		sem_post(&s->sem);
		_exit(0);
	}
	pthread_mutex_lock(&s->mutex);
	while (!s->ready)
		pthread_cond_wait(&s->cond, &s->mutex);
	pthread_mutex_unlock(&s->mutex);
	pthread_barrier_wait(&s->barrier);
	CHECK(sem_wait(&s->sem) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	return 0;
}

static _Atomic int word, target;
static volatile int woken;

static void *sleeps(void *arg)
{
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
	woken++;
	return arg;
}

static int requeue(void)
{
	pthread_t threads[3];
	int moved = 0, n;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, sleeps, NULL);
	while (moved < 3) {
		n = (int)syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 10, &target, 0);
		CHECK(n >= 0);
		moved += n;
		usleep(1000);
	}
	CHECK(woken == 0);
	CHECK(syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 10, &target, 5) == -1 && errno == EAGAIN);
	CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 10) == 0);
	CHECK(syscall(SYS_futex, &target, FUTEX_WAKE_PRIVATE, 2) == 2);
	CHECK(syscall(SYS_futex, &target, FUTEX_WAKE_PRIVATE, 2) == 1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int wake_op(void)
{
	struct timespec t;

	target = 1;
	CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_OP_PRIVATE, 1, 1, &target,
		      FUTEX_OP(FUTEX_OP_ADD, 4, FUTEX_OP_CMP_EQ, 1)) == 0);
	CHECK(target == 5);
	CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL) == -1 && errno == EAGAIN);
	t = (struct timespec){0, 1000000};
	CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t) == -1 && errno == ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += t.tv_nsec < 900000000 ? 1000000 : 0;
	CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL, 3) == -1 && errno == ETIMEDOUT);
	CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL, 0) == -1 && errno == EINVAL);
	CHECK(syscall(SYS_futex, &word, 99, 0, NULL) == -1 && errno == ENOSYS);
	CHECK(syscall(SYS_futex, (char *)&word + 1, FUTEX_WAIT_PRIVATE, 0, NULL) == -1 && errno == EINVAL);
	return 0;
}

static int cleaned;

static void cleanup(void *arg)
{
	(void)arg;
	cleaned++;
}

static void *cancelled(void *arg)
{
	int ends[2];
	char byte;

	pthread_cleanup_push(cleanup, NULL);
	if (pipe(ends) == 0)
		(void)!read(ends[0], &byte, 1);
	pthread_cleanup_pop(0);
	return arg;
}

static int cancel(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, cancelled, NULL);
	usleep(1000);
	CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED && cleaned == 1);
	return 0;
}

static pthread_key_t key;
static int destroyed;

static void destroy(void *arg)
{
	destroyed += *(int *)arg;
}

static void *with_key(void *arg)
{
	pthread_setspecific(key, arg);
	return NULL;
}

static int keys(void)
{
	pthread_t thread;
	int three = 3;
	pthread_attr_t attr;

	pthread_key_create(&key, destroy);
	pthread_create(&thread, NULL, with_key, &three);
	pthread_join(thread, NULL);
	CHECK(destroyed == 3);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	CHECK(pthread_create(&thread, &attr, with_key, &three) == 0);
	while (*(volatile int *)&destroyed != 6)
		usleep(1000);
	return 0;
}

static int named_semaphore(void)
{
	char name[64];
	sem_t *sem;
	int value;

	snprintf(name, sizeof(name), "/calls-%d-%ld", getpid(), (long)time(NULL));
	sem_unlink(name);
	sem = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	CHECK(sem != SEM_FAILED && sem_unlink(name) == 0);
	CHECK(sem_wait(sem) == 0 && sem_trywait(sem) == -1 && errno == EAGAIN);
	CHECK(IN_CHILD((usleep(20000), sem_post(sem))) == 0);
	CHECK(sem_wait(sem) == 0 && sem_getvalue(sem, &value) == 0 && value == 0 && sem_close(sem) == 0);
	return 0;
}

static void *stays(void *arg)
{
	sem_wait(arg);
	return arg;
}

static int cpu_clocks(void)
{
	pthread_t thread;
	sem_t sem;
	clockid_t clock;
	struct timespec t;
	struct rusage usage;

	sem_init(&sem, 0, 0);
	pthread_create(&thread, NULL, stays, &sem);
	CHECK(pthread_getcpuclockid(thread, &clock) == 0);
	sem_post(&sem);
	pthread_join(thread, NULL);
	CHECK(pthread_getcpuclockid(pthread_self(), &clock) == 0 && clock_gettime(clock, &t) == 0);
	CHECK(clock_getcpuclockid(0, &clock) == 0 && clock_gettime(clock, &t) == 0);
	CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
	return 0;
}

static pthread_rwlock_t rw;

static void *reads(void *arg)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 2;
	return pthread_rwlock_timedrdlock(&rw, &t) == 0 && pthread_rwlock_unlock(&rw) == 0 ? arg : NULL;
}

static void *writes(void *arg)
{
	return pthread_rwlock_wrlock(&rw) == 0 && pthread_rwlock_unlock(&rw) == 0 ? arg : NULL;
}

static int readers_writers(void)
{
	pthread_t thread, writer;
	void *result;

	pthread_rwlock_init(&rw, NULL);
	CHECK(pthread_rwlock_rdlock(&rw) == 0);
	pthread_create(&thread, NULL, reads, &rw);
	pthread_join(thread, &result);
	CHECK(result);
	CHECK(pthread_rwlock_trywrlock(&rw) == EBUSY && pthread_rwlock_tryrdlock(&rw) == 0);
	pthread_create(&writer, NULL, writes, &rw);
	usleep(1000);
	pthread_rwlock_unlock(&rw);
	pthread_rwlock_unlock(&rw);
	pthread_join(writer, &result);
	CHECK(result && pthread_rwlock_wrlock(&rw) == 0 && pthread_rwlock_rdlock(&rw) == EDEADLK);
	return 0;
}

CALLS_MAIN(CASE(robust_child), CASE(robust_waits), CASE(robust_parent), CASE(error_checks), CASE(processes_share),
	   CASE(requeue), CASE(wake_op), CASE(cancel), CASE(keys), CASE(named_semaphore), CASE(cpu_clocks),
	   CASE(readers_writers))
