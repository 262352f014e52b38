/* account.c - two threads pay into one account. The example of docs/TUTORIAL.md. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance, payments;

static void pay(int amount)
{
	int new_balance = balance + amount;

	pthread_mutex_lock(&lock);
	payments++;
	balance = new_balance;
	pthread_mutex_unlock(&lock);
}

static void *customer(void *arg)
{
	(void)arg;
	pay(100);
	return NULL;
}

int main(void)
{
	pthread_t customers[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&customers[i], NULL, customer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(customers[i], NULL);
	printf("%d payments, balance %d\n", payments, balance);
	assert(balance == 100 * payments);
	return 0;
}
