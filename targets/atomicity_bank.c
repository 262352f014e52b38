/*
 * atomicity_bank.c - a withdrawal reads the balance in one section and stores the new one in another. A deposit in
 * between is lost. All sections have the same lock, so there is no data race. The deposit is long over before the
 * withdrawal begins, so random schedules do not show it.
 *
 * rfsup must predict the atomicity violation and find the lost deposit.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MUCH 200

static pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER, audit = PTHREAD_MUTEX_INITIALIZER;
static long balance = 100, audited;

static long read_balance(void)
{
	long value;

	pthread_mutex_lock(&bank);
	value = balance;
	pthread_mutex_unlock(&bank);
	return value;
}

static void store_balance(long value)
{
	pthread_mutex_lock(&bank);
	balance = value;
	pthread_mutex_unlock(&bank);
}

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
	for (int i = 0; i < MUCH; i++) {
		pthread_mutex_lock(&audit);
		audited++;
		pthread_mutex_unlock(&audit);
	}
	value = read_balance();
	if (value >= 30)
		store_balance(value - 30);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, deposit, NULL);
	pthread_create(&threads[1], NULL, withdraw, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (balance != 120) {
		fprintf(stderr, "balance %ld\n", balance);
		abort();
	}
	return 0;
}
