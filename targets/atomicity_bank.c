/*
 * atomicity_bank: a withdrawal reads the balance in one section and stores the new one in another. A deposit that comes
 * between is lost. All sections have the same lock.
 *
 * Answer: failure, no race: an atomicity violation R-w-W on balance.
 * Plain and random runs: never fail, because the deposit is over long before the withdrawal.
 * Twin: one section.
 */
#include "late.h"
#include "target.h"

static pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;
static long balance = 100;

static void *deposit(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&bank);
	balance += 50;
	pthread_mutex_unlock(&bank);
	return NULL;
}

static void *withdraw(void *arg)
{
	long value;

	(void)arg;
	come_late();
	pthread_mutex_lock(&bank);
	value = balance;
#ifndef FIXED
	pthread_mutex_unlock(&bank);
	pthread_mutex_lock(&bank);
#endif
	balance = value - 30;
	pthread_mutex_unlock(&bank);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, deposit, NULL);
	pthread_create(&threads[1], NULL, withdraw, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (balance != 120)
		abort();
	return 0;
}
