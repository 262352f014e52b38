/* The program forks, and the child executes the same file with an argument. The new program has two threads, which lose
 * an update. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
static int hits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *hit(void *unused)
{
	if (FIXED)
		pthread_mutex_lock(&lock);
	hits = hits + 1;
	if (FIXED)
		pthread_mutex_unlock(&lock);
	return unused;
}

static int work(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, hit, NULL);
	pthread_create(&b, NULL, hit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (hits != 2)
		abort();
	return 0;
}

int main(int argc, char **argv)
{
	pid_t child;
	int status;

	if (argc > 1)
		return work();
	child = fork();
	if (!child) {
		execl("/proc/self/exe", argv[0], "work", (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return status != 0;
}
