/*
 * annotated_rwlock: a readers-writer lock that has a flag for each reader. No tool can find such a lock by itself, so
 * the program annotates it. Readers count themselves while they hold the lock for reading.
 *
 * Answer: the race of the counter. The data that the writer writes is silent only because of the annotations.
 * Plain runs: almost never fail, because readers are short.
 * Twin: readers hold the lock for writing while they count.
 */
#include <sched.h>

#include "target.h"

/* What dynamic_annotations.c of many programs has: functions that only tools notice. */
__attribute__((noinline)) void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock,
						      long writes);
__attribute__((noinline)) void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock,
						      long writes);
__attribute__((noinline)) void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address,
						       unsigned long size, const char *text);

void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writes)
{
	__asm__ volatile("# acquired %0 %1 %2 %3" : : "r"(file), "r"(line), "r"(lock), "r"(writes) : "memory");
}

void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writes)
{
	__asm__ volatile("nop # released %0 %1 %2 %3" : : "r"(file), "r"(line), "r"(lock), "r"(writes) : "memory");
}

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, unsigned long size,
			     const char *text)
{
	__asm__ volatile("# benign %0 %1 %2 %3 %4" : : "r"(file), "r"(line), "r"(address), "r"(size), "r"(text));
}

#define READERS 2
#define ROUNDS 3

static struct {
	volatile int reads[READERS], writes;
} lock;
static pthread_mutex_t one_writer = PTHREAD_MUTEX_INITIALIZER;
static int data[2], readers;

static void read_lock(long me)
{
	for (;;) {
		lock.reads[me] = 1;
		__sync_synchronize();
		if (!lock.writes)
			break;
		lock.reads[me] = 0;
		sched_yield();
	}
	AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 0);
}

static void read_unlock(long me)
{
	AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 0);
	__sync_synchronize();
	lock.reads[me] = 0;
}

static void write_lock(void)
{
	pthread_mutex_lock(&one_writer);
	lock.writes = 1;
	__sync_synchronize();
	for (int i = 0; i < READERS; i++)
		while (lock.reads[i])
			sched_yield();
	AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 1);
}

static void write_unlock(void)
{
	AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1);
	__sync_synchronize();
	lock.writes = 0;
	pthread_mutex_unlock(&one_writer);
}

static void *reads(void *arg)
{
	const long me = (long)arg;

	for (int i = 0; i < ROUNDS; i++) {
		read_lock(me);
		if (data[0] != data[1])
			fail("data");
#ifdef FIXED
		read_unlock(me);
		write_lock();
		readers++; /* RACE: count */
		write_unlock();
#else
		readers++; /* RACE: count */
		read_unlock(me);
#endif
	}
	return NULL;
}

static void *writes(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		write_lock();
		data[0]++;
		data[1]++;
		write_unlock();
	}
	return arg;
}

int main(void)
{
	pthread_t threads[READERS + 1];

	AnnotateBenignRaceSized(__FILE__, __LINE__, &lock, sizeof(lock), "the lock itself");
	for (long i = 0; i < READERS; i++)
		threads[i] = start(reads, (void *)i);
	threads[READERS] = start(writes, NULL);
	for (int i = 0; i <= READERS; i++)
		pthread_join(threads[i], NULL);
	if (readers != READERS * ROUNDS)
		fail("readers");
	return 0;
}
