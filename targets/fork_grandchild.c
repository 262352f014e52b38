/* Each process waits for the one that it has forked. The second child's second child has threads, which lock two
 * mutexes in different orders. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int balance[2];

static void *to(void *unused)
{
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&second);
	balance[0]--;
	balance[1]++;
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
	return unused;
}

static void *from(void *unused)
{
	pthread_mutex_lock(FIXED ? &first : &second);
	pthread_mutex_lock(FIXED ? &second : &first);
	balance[0]++;
	balance[1]--;
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return unused;
}

static int threads(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, to, NULL);
	pthread_create(&b, NULL, from, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return balance[0] != 0;
}

/* Forks a process that does nothing, and one that does the work. Returns what the work has returned. */
static int below(int (*work)(void))
{
	pid_t idle = fork(), child;
	int status;

	if (!idle)
		_exit(0);
	waitpid(idle, &status, 0);
	child = fork();
	if (!child)
		_exit(work());
	waitpid(child, &status, 0);
	return status != 0;
}

static int middle(void)
{
	return below(threads);
}

int main(void)
{
	return below(middle);
}
