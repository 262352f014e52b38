/*
 * exec_thread: a thread other than main executes the same program again, with an argument, while the other threads
 * wait. The new program starts threads too.
 *
 * Answer: silent. The kernel ends the other threads, and the thread that called execv becomes the leader. What is
 * printed is the result of the new program.
 */
#include "target.h"
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
sem_t never;

static void *count(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++; /* RACE: increment */
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *wait_for_ever(void *arg)
{
	sem_wait(&never);
	return arg;
}

static void *execute(void *arg)
{
	char *arguments[] = {arg, "again", NULL};

	execv("/proc/self/exe", arguments);
	fail("execv");
}

static int again(void)
{
	pthread_t first = start(count, NULL), second = start(count, NULL);

	join(first);
	join(second);
	printf("again %d\n", counter);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t waiting;

	if (argc > 1 && !strcmp(argv[1], "again"))
		return again();
	sem_init(&never, 0, 0);
	waiting = start(wait_for_ever, NULL);
	start(execute, argv[0]);
	join(waiting);
	return 0;
}
