/*
 * cancelled_join.c - a thread joins another one, which waits for its mutex. The argument says whether main cancels it
 * then ("cancels"), whether it has disabled that ("disabled"), or whether main only joins it ("joins").
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t outer, inner;
static const char *way;

static void unlock(void *arg)
{
	(void)arg;
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_mutex(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *join_inner(void *arg)
{
	int old;

	if (strcmp(way, "disabled") == 0)
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	pthread_create(&inner, NULL, wait_for_mutex, NULL);
	pthread_join(inner, NULL);
	pthread_cleanup_pop(1);
	return arg;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "";
	pthread_create(&outer, NULL, join_inner, NULL);
	usleep(1000);
	if (strcmp(way, "joins") != 0)
		pthread_cancel(outer);
	pthread_join(outer, NULL);
	return 0;
}
