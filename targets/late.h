/* late.h - what a thread does that comes late to its bug: so many operations that no random schedule lets the others
 * wait for it, and so much time that no plain run does. */
#ifndef LATE_H
#define LATE_H

#include "target.h"

static pthread_mutex_t elsewhere = PTHREAD_MUTEX_INITIALIZER;

static inline void come_late(void)
{
	apart(20);
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&elsewhere);
		pthread_mutex_unlock(&elsewhere);
	}
}

#endif
