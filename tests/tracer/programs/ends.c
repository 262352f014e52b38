/* ends exec PROGRAM ARG... | leader | group | signal: ends in an unusual way while two more threads exist. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **arguments;
static pthread_barrier_t all_there;

static void *sleeper(void *arg)
{
	pthread_barrier_wait(&all_there);
	for (;;)
		pause();
	return arg;
}

static void *actor(void *arg)
{
	pthread_barrier_wait(&all_there);
	if (!strcmp(arguments[1], "exec"))
		execv(arguments[2], arguments + 2);
	if (!strcmp(arguments[1], "group"))
		exit(21);
	if (!strcmp(arguments[1], "signal"))
		abort();
	usleep(20000);
	_exit(22);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc < 2)
		return 99;
	arguments = argv;
	pthread_barrier_init(&all_there, NULL, 3);
	pthread_create(&threads[0], NULL, sleeper, NULL);
	pthread_create(&threads[1], NULL, actor, NULL);
	pthread_barrier_wait(&all_there);
	if (!strcmp(argv[1], "leader"))
		pthread_exit(NULL);
	pthread_join(threads[1], NULL);
	return 97;
}
