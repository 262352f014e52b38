/*
 * futex_pi: priority-inheriting futexes without the C library's mutex. Lock and unlock first try a compare-and-swap of
 * 0 and the thread's id. If that fails, they call FUTEX_LOCK_PI or FUTEX_UNLOCK_PI (futex(2)).
 *
 * A race on the count is predicted, because hybrid detection does not know such a lock. No run can create that race.
 * targets.txt does not have this program: the futex word holds the thread's id, so no two runs have the same hash.
 */
#include "../../../targets/futex.h"
#include "../../../targets/target.h"
#include <errno.h>

static unsigned lock;
int count;

static void pi_lock(void)
{
	unsigned nobody = 0;

	if (__atomic_compare_exchange_n(&lock, &nobody, (unsigned)gettid(), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	if (syscall(SYS_futex, &lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL))
		fail("FUTEX_LOCK_PI");
	if ((__atomic_load_n(&lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK) != (unsigned)gettid())
		fail("the lock is another's");
}

static void pi_unlock(void)
{
	unsigned own = (unsigned)gettid();

	if (__atomic_compare_exchange_n(&lock, &own, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	if (syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI_PRIVATE))
		fail("FUTEX_UNLOCK_PI");
}

static void *increment(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pi_lock();
		count++;
		pi_unlock();
	}
	return arg;
}

int main(void)
{
	pthread_t first, second;

	first = start(increment, NULL);
	second = start(increment, NULL);
	join(first);
	join(second);
	if (syscall(SYS_futex, &lock, FUTEX_TRYLOCK_PI_PRIVATE))
		fail("FUTEX_TRYLOCK_PI of a free lock");
	if (syscall(SYS_futex, &lock, FUTEX_LOCK_PI_PRIVATE, 0, NULL) != -1 || errno != EDEADLK)
		fail("FUTEX_LOCK_PI of one's own lock");
	if (syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI_PRIVATE))
		fail("FUTEX_UNLOCK_PI");
	if (syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI_PRIVATE) != -1 || errno != EPERM)
		fail("FUTEX_UNLOCK_PI of a free lock");
	printf("%d\n", count);
	return count != 6;
}
