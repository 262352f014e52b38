/* threads N: N threads add to a counter; the exit status is the counter. */
#include <pthread.h>
#include <stdlib.h>

static int counter;

static void *body(void *arg)
{
	__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[200];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, body, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return counter;
}
