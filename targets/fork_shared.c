/*
 * Two processes count in memory that they share. An update is lost, and the parent notices. In the fixed twin, a
 * process-shared mutex protects the count. Each worker also uses its own copy of a variable and of a mutex.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
struct shared {
	pthread_mutex_t lock;
	int count;
};

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static int own;

static void work(struct shared *shared)
{
	pthread_mutex_lock(&own_lock);
	own = own + 1;
	pthread_mutex_unlock(&own_lock);
	if (FIXED)
		pthread_mutex_lock(&shared->lock);
	shared->count = shared->count + 1;
	if (FIXED)
		pthread_mutex_unlock(&shared->lock);
}

int main(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;

	if (shared == MAP_FAILED)
		return 2;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attributes);
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			work(shared);
			_exit(0);
		}
	own = own + 1;
	while (wait(NULL) > 0)
		;
	if (shared->count != 2 || own != 1)
		abort();
	return 0;
}
