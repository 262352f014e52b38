/*
 * The library that the target dlopen_lib loads: a counter whose increment races, in a module that main starts without.
 */
#include <pthread.h>

int count;
pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;

int count_up(void);
int count_value(void);

int count_up(void)
{
#ifdef FIXED
	pthread_mutex_lock(&count_lock);
#endif
	count++; /* RACE: increment */
#ifdef FIXED
	pthread_mutex_unlock(&count_lock);
#endif
	return 0;
}

int count_value(void)
{
	return count;
}
