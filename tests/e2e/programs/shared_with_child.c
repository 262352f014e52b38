/* shared_with_child.c - a thread counts in memory that a child process watches. Fails if the child sees it count back.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 40

static volatile struct {
	long number, stop;
} * shared;
static volatile long other;

static void watch(void)
{
	for (long last = 0; !shared->stop;) {
		const long now = shared->number;

		if (now < last)
			_exit(1);
		last = now;
	}
	_exit(0);
}

static void *count(void *arg)
{
	for (int i = 1; i <= ROUNDS; i++) {
		shared->number = i;
		for (int k = 0; k < 3; k++)
			(void)other;
	}
	return arg;
}

static void *disturb(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		other = i;
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	int status;
	pid_t child;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = fork();
	if (!child)
		watch();
	pthread_create(&threads[0], NULL, count, NULL);
	pthread_create(&threads[1], NULL, disturb, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	shared->stop = 1;
	if (waitpid(child, &status, 0) != child || status)
		abort();
	return 0;
}
