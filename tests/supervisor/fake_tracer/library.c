/* library.c - what the target's C library does to memory, as far as the supervisor looks at it. */
#include <errno.h>
#include <string.h>

#include "supervisor/model/layout.h"
#include "tests/supervisor/fake_tracer/fake_tracer.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

static struct rfs_space *space(void)
{
	return rfs_task_space(rfs_tracer_task(fake_tracer(), FAKE_PID));
}

static void get(rfs_addr address, void *object, size_t n)
{
	memset(object, 0, n);
	(void)!rfs_space_read(space(), address, object, n);
}

/* Takes the mutex. False: another thread has it, or this one has it and it is not recursive. */
static bool takes_mutex(rfs_addr address, int tid)
{
	struct rfs_mutex_memory mutex;

	get(address, &mutex, sizeof(mutex));
	if (mutex.lock && !(mutex.owner == tid && (mutex.kind & RFS_MUTEX_TYPE) == RFS_MUTEX_RECURSIVE))
		return false;
	mutex.lock = 1;
	mutex.count++;
	mutex.owner = tid;
	fake_put(address, &mutex, sizeof(mutex));
	return true;
}

static void gives_mutex(rfs_addr address)
{
	struct rfs_mutex_memory mutex;

	get(address, &mutex, sizeof(mutex));
	mutex.count -= mutex.count > 0;
	if (!mutex.count)
		mutex.lock = mutex.owner = 0;
	fake_put(address, &mutex, sizeof(mutex));
}

static bool takes_rwlock(rfs_addr address, int tid, bool write)
{
	struct rfs_rwlock_memory lock;

	get(address, &lock, sizeof(lock));
	if ((lock.readers & RFS_RWLOCK_WRLOCKED) || (write && lock.readers))
		return false;
	lock.readers += write ? RFS_RWLOCK_WRLOCKED : 1u << RFS_RWLOCK_READER_SHIFT;
	lock.cur_writer = write ? tid : 0;
	fake_put(address, &lock, sizeof(lock));
	return true;
}

static void gives_rwlock(rfs_addr address)
{
	struct rfs_rwlock_memory lock;

	get(address, &lock, sizeof(lock));
	lock.readers -= lock.readers & RFS_RWLOCK_WRLOCKED ? RFS_RWLOCK_WRLOCKED : 1u << RFS_RWLOCK_READER_SHIFT;
	lock.cur_writer = 0;
	fake_put(address, &lock, sizeof(lock));
}

static bool changes_semaphore(rfs_addr address, int by)
{
	struct rfs_semaphore_memory semaphore;

	get(address, &semaphore, sizeof(semaphore));
	if (by < 0 && !semaphore.value)
		return false;
	semaphore.value += (unsigned)by;
	fake_put(address, &semaphore, sizeof(semaphore));
	return true;
}

static bool is(const char *function, const char *name)
{
	return strcmp(function, name) == 0;
}

enum fake_effect fake_library_call(const char *function, int tid, const uint64_t args[6], long *result)
{
	*result = 0;
	if (is(function, "pthread_mutex_lock"))
		return takes_mutex(args[0], tid) ? FAKE_RETURNS : FAKE_SLEEPS;
	if (is(function, "pthread_mutex_trylock"))
		*result = takes_mutex(args[0], tid) ? 0 : EBUSY;
	if (is(function, "pthread_mutex_unlock"))
		gives_mutex(args[0]);
	if (is(function, "pthread_rwlock_rdlock") || is(function, "pthread_rwlock_wrlock"))
		return takes_rwlock(args[0], tid, is(function, "pthread_rwlock_wrlock")) ? FAKE_RETURNS : FAKE_SLEEPS;
	if (is(function, "pthread_rwlock_tryrdlock") || is(function, "pthread_rwlock_trywrlock"))
		*result = takes_rwlock(args[0], tid, is(function, "pthread_rwlock_trywrlock")) ? 0 : EBUSY;
	if (is(function, "pthread_rwlock_unlock"))
		gives_rwlock(args[0]);
	if (is(function, "sem_wait"))
		return changes_semaphore(args[0], -1) ? FAKE_RETURNS : FAKE_SLEEPS;
	if (is(function, "sem_trywait"))
		*result = changes_semaphore(args[0], -1) ? 0 : -1;
	if (is(function, "sem_post"))
		changes_semaphore(args[0], 1);
	if (is(function, "pthread_join"))
		return fake_has_ended(args[0]) ? FAKE_RETURNS : FAKE_SLEEPS;
	/* rfsup carries these out itself */
	if (is(function, "pthread_cond_wait") || is(function, "pthread_barrier_wait"))
		return FAKE_SLEEPS;
	return is(function, "pthread_create") ? FAKE_CLONES : FAKE_RETURNS;
}
