/*
 * fork_threads: a program with threads forks. The child calls the same function as the parent's threads, then ends with
 * _exit. pthread_atfork handlers hold the mutex during the fork.
 *
 * Answer: silent. The child counts in its own copy of the memory, and its exit status is its result.
 */
#include "target.h"
#include <sys/wait.h>
#include <unistd.h>

int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void acquire(void)
{
	pthread_mutex_lock(&lock);
}

static void release(void)
{
	pthread_mutex_unlock(&lock);
}

static void *count(void *arg)
{
	acquire();
	counter++; /* RACE: increment */
	release();
	return arg;
}

static void *fork_child(void *arg)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		counter = 40;
		count(arg);
		count(arg);
		_exit(counter);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		fail("fork");
	return (void *)(long)WEXITSTATUS(status);
}

int main(void)
{
	pthread_t forking, first, second;
	long childs;

	pthread_atfork(acquire, release, release);
	first = start(count, NULL);
	forking = start(fork_child, NULL);
	second = start(count, NULL);
	childs = (long)join(forking);
	join(first);
	join(second);
	printf("%d %ld\n", counter, childs);
	return counter != 2 || childs != 42;
}
