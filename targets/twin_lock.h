/* twin_lock.h - a mutex that only the fixed twin of a target takes. */
#ifndef TARGETS_TWIN_LOCK_H
#define TARGETS_TWIN_LOCK_H

#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
#endif
}

static void unlock(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&mutex);
#endif
}

#endif
