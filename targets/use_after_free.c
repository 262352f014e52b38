/*
 * use_after_free: one thread uses a session that another thread closes and frees.
 *
 * Answer: the pairs lookup:unlink and use:free are real. The second is harmful: free() overwrites the first word of the
 * block with a link of its free list. A use after that sees a wrong number and aborts.
 * Plain runs: almost never fail, because the user has ended before the closer begins.
 * Twin: lookup and use are one critical section, and so are unlink and free.
 */
#include "target.h"

#define MAGIC 0x5e551001ul

struct session {
	unsigned long magic;
	char name[56];
};

struct session *session;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
	struct session *mine;

	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	mine = session; /* RACE: lookup */
	if (mine) {
		if (mine->magic != MAGIC) /* RACE: use */
			fail("use after free");
	}
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

static void *closer(void *arg)
{
	struct session *mine;

	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	mine = session;
	session = NULL; /* RACE: unlink */
	free(mine);	/* RACE: free */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	session = calloc(1, sizeof(*session));
	session->magic = MAGIC;
	first = start(user, NULL);
	second = start_late(closer, NULL, 2);
	join(first);
	join(second);
	puts("closed");
	return 0;
}
