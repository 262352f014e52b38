/* Two threads exchange messages that fit into their pipes, each in the right order. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int there[2], back[2];

static void *echoes(void *arg)
{
	char buffer[4096];

	for (int i = 0; i < 4; i++) {
		if (read(there[0], buffer, sizeof(buffer)) <= 0 || write(back[1], buffer, 1) != 1)
			abort();
	}
	return arg;
}

int main(void)
{
	char buffer[4096] = {0};
	pthread_t thread;

	if (pipe(there) != 0 || pipe(back) != 0)
		return 2;
	pthread_create(&thread, NULL, echoes, NULL);
	for (int i = 0; i < 4; i++)
		if (write(there[1], buffer, sizeof(buffer)) != sizeof(buffer) || read(back[0], buffer, 1) != 1)
			abort();
	pthread_join(thread, NULL);
	return 0;
}
