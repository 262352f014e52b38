/*
 * double_setters: two variables that should be equal are set in two sections, and read in two sections.
 *
 * Answer: failure, no race. One violation explains both orders in which it fails: the writer comes between the two
 * reads, or the reader between the two writes.
 * Plain runs: almost never fail, because the reader has ended before the writer begins.
 * Twin: another lock makes both pairs of sections one.
 */
#include "twin_lock.h"

#include "target.h"

static int low, high;
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;

static int get(const int *variable)
{
	int value;

	pthread_mutex_lock(&both);
	value = *variable;
	pthread_mutex_unlock(&both);
	return value;
}

static void set(int *variable, int value)
{
	pthread_mutex_lock(&both);
	*variable = value;
	pthread_mutex_unlock(&both);
}

static void *change(void *arg)
{
	(void)arg;
	lock();
	set(&low, 7);
	set(&high, 7);
	unlock();
	return NULL;
}

static void *compare(void *arg)
{
	int a, b;

	(void)arg;
	lock();
	a = get(&low);
	b = get(&high);
	unlock();
	if (a != b)
		fail("the two differ");
	return NULL;
}

int main(void)
{
	const pthread_t reader = start(compare, NULL), writer = start_late(change, NULL, 2);

	join(reader);
	join(writer);
	return 0;
}
