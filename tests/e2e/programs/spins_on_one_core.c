/* spins_on_one_core.c - a program that fails, but does not end if it may use only one core, as if its threads spun. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t thread;
	cpu_set_t set;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	sched_getaffinity(0, sizeof(set), &set);
	while (CPU_COUNT(&set) == 1)
		;
	abort();
}
