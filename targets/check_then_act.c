/*
 * check_then_act: two threads take 100 each from a balance of 100. They check the balance first, but hold no lock.
 *
 * Answer: the pair check:take is real and harmful: if both checks come first, 100 is paid twice, and main aborts. The
 * pair take:take is real too, but need not be predicted, because both threads reach it only in such runs.
 * Plain runs: almost never fail, because the first thread has taken all before the second begins.
 * Twin: check and take are one critical section.
 */
#include "target.h"

long balance = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns how much was paid. */
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
