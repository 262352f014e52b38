/* A thread writes a variable, and a system call of main writes another one. */
#include <pthread.h>
#include <unistd.h>

static volatile int seen;
static char got[8];
static int ends[2];

static void *body(void *arg)
{
	seen = 1;
	(void)!write(ends[1], "abc", 3);
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pipe(ends) || pthread_create(&thread, NULL, body, NULL) || pthread_join(thread, NULL))
		return 1;
	return read(ends[0], got, 3) != 3;
}
