/*
 * check_then_act: two threads take 100 each from a balance of 100, check first, and hold no lock.
 *
 * Answer: check with take is real. Harmful: both checks before both takes pay twice, and main aborts. Take with
 * itself is real too, but both threads come to it only where the first race has gone wrong: it need not be predicted.
 * Plain runs: the first thread has taken all before the second begins; almost never.
 * Twin: check and take are one critical section.
 */
#include "target.h"

long balance = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns what was paid out. */
__attribute__((noinline)) static long withdraw(long amount)
{
	long paid = 0;

#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	if (balance >= amount) {   /* RACE: check */
		balance -= amount; /* RACE: take */
		paid = amount;
	}
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return paid;
}

static void *customer(void *arg)
{
	(void)arg;
	return (void *)withdraw(100);
}

int main(void)
{
	pthread_t first, second;
	long paid;

	first = start(customer, NULL);
	second = start_late(customer, NULL, 2);
	paid = (long)join(first);
	paid += (long)join(second);
	if (paid != 100)
		fail("paid twice");
	puts("paid 100");
	return 0;
}
