/*
 * spawn_threads: a thread starts the same program with posix_spawn and an argument. The child starts
 * threads, too.
 *
 * Answer: silent. The child runs without being scheduled, because rfsup only keeps children attached. The thread waits
 * for the child, whose exit status is its result.
 */
#include "target.h"
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++; /* RACE: increment */
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int count_twice(void)
{
	pthread_t first = start(count, NULL), second = start(count, NULL);

	join(first);
	join(second);
	return counter;
}

static void *spawn(void *arg)
{
	char *arguments[] = {arg, "child", NULL};
	int status;
	pid_t child;

	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ))
		fail("posix_spawn");
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		fail("waitpid");
	return (void *)(long)WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	pthread_t spawning;
	int mine;
	long childs;

	if (argc > 1 && !strcmp(argv[1], "child"))
		return count_twice();
	spawning = start(spawn, argv[0]);
	mine = count_twice();
	childs = (long)join(spawning);
	printf("%d %ld\n", mine, childs);
	return mine != 2 || childs != 2;
}
