/*
 * child_input_fixed.c - a child process reads until the end of its input. A thread of its parent closes the parent's
 * end of the pipe before the parent waits for it.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int input[2];
static volatile int asked;

static void *closes(void *arg)
{
	if (asked)
		close(input[1]);
	return arg;
}

static void reads_all(void)
{
	char text[64];

	close(input[1]);
	while (read(input[0], text, sizeof(text)) > 0)
		;
	_exit(0);
}

int main(void)
{
	pthread_t thread;

	if (pipe(input))
		return 1;
	if (fork() == 0)
		reads_all();
	asked = 1;
	pthread_create(&thread, NULL, closes, NULL);

	pthread_join(thread, NULL);
	wait(NULL);
	return 0;
}
