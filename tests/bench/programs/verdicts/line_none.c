/* Two lines that touch different elements, so no run can create a race of them. */
#include <pthread.h>

static volatile int values[8];
static int sum;

static void *reads(void *arg)
{
	sum = values[1] + values[2]; /* pair */
	return arg;
}

static void *writes(void *arg)
{
	values[3] = 1; /* pair */
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, reads, NULL);
	pthread_create(&threads[1], NULL, writes, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return sum;
}
