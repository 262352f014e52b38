/*
 * child_fills.c - a child process copies its input to its output. The parent writes all of the input before it reads
 * any output, so with more than two pipes hold, both wait until the other one reads.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 200000

static int input[2], output[2];

static void *writes(void *arg)
{
	char *text = calloc(1, SIZE);

	if (text && write(input[1], text, SIZE) == SIZE)
		close(input[1]);
	free(text);
	return arg;
}

static void copies(void)
{
	char text[4096];
	ssize_t n;

	close(input[1]);
	close(output[0]);
	while ((n = read(input[0], text, sizeof(text))) > 0)
		if (write(output[1], text, (size_t)n) != n)
			break;
	_exit(0);
}

static long reads(void)
{
	char text[4096];
	ssize_t n;
	long sum = 0;

	while ((n = read(output[0], text, sizeof(text))) > 0)
		sum += n;
	return sum;
}

int main(void)
{
	pthread_t thread;
	long sum;

	if (pipe(input) || pipe(output))
		return 1;
	if (fork() == 0)
		copies();
	close(input[0]);
	close(output[1]);
	pthread_create(&thread, NULL, writes, NULL);
	pthread_join(thread, NULL);
	sum = reads();
	wait(NULL);
	return sum != SIZE;
}
