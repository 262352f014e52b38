/*
 * child_input.c - a child process reads until the end of its input. A thread of its parent closes the parent's end of
 * the pipe, but only if it looks after the parent has asked for that. Otherwise the child reads for ever, and the
 * parent waits for it.
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
	pthread_create(&thread, NULL, closes, NULL);
	asked = 1;
	pthread_join(thread, NULL);
	wait(NULL);
	return 0;
}
