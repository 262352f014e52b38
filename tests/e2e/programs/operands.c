/* One statement with six operands, of which only the last one races. */
#include <pthread.h>
#include <stdlib.h>

static volatile int *v;
static int s;

static void *reader(void *arg)
{
	s = v[1] + v[2] + v[3] + v[4] + v[5] + v[6];
	return arg;
}

static void *writer(void *arg)
{
	v[6] = 1;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	v = calloc(7, sizeof(*v));
	pthread_create(&t, NULL, reader, NULL);
	pthread_create(&u, NULL, writer, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	free((void *)v);
	return s;
}
