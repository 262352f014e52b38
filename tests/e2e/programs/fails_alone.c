/* fails_alone.c - a test with two threads that always ends in one way: "status N" or "signal N". */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 3 || pthread_create(&thread, NULL, work, NULL))
		return 99;
	pthread_join(thread, NULL);
	if (strcmp(argv[1], "signal") == 0)
		raise(atoi(argv[2]));
	return atoi(argv[2]);
}
