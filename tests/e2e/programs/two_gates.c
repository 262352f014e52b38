/*
 * two_gates.c - two threads lock a and b in opposite orders, and the second one sets what the first one reads under a.
 * That the first one reads it early only says that both are under way: the deadlock has another cause.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int level, seen, sum;

static void *reader(void *arg)
{
	pthread_mutex_lock(&a);
	seen = level;
	pthread_mutex_lock(&b);
	sum++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *writer(void *arg)
{
	pthread_mutex_lock(&b);
	sum++;
	pthread_mutex_lock(&a);
	level = 1;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t one, other;

	pthread_create(&one, NULL, reader, NULL);
	pthread_create(&other, NULL, writer, NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	printf("%d\n", seen);
	return 0;
}
