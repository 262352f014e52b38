/* A lost update that only the output shows. */
#include <pthread.h>
#include <stdio.h>

static int balance = 100;

static void *withdraws(void *arg)
{
	const int seen = balance;

	balance = seen - (int)(size_t)arg;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, withdraws, (void *)(30 + 20 * i));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("balance %d\n", balance);
	return 0;
}
