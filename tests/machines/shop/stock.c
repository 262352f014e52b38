/* stock.c - the library of shop.c: how many items are left. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left;

void stock_fill(int n)
{
	pthread_mutex_lock(&lock);
	left = n;
	pthread_mutex_unlock(&lock);
}

int stock_left(void)
{
	return left; /* RACE: without the lock */
}

void stock_take(void)
{
	pthread_mutex_lock(&lock);
	left--;
	pthread_mutex_unlock(&lock);
}
