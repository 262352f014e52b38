/*
 * child_sleeps read|poll|wait|popen: a child sleeps before it writes to a pipe. The parent waits for it in this way,
 * and checks what it gets. Another thread makes choices necessary.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SLEEPS 200000 /* microseconds */

static void *works(void *arg)
{
	return arg;
}

static int from_shell(void)
{
	FILE *pipe = popen("sleep 0.2; echo hi", "r");
	char line[16] = "";

	if (!pipe || !fgets(line, sizeof(line), pipe) || strcmp(line, "hi\n"))
		return 3;
	return pclose(pipe);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "read";
	int ends[2], status = 0;
	struct pollfd readable;
	char text[4] = "";
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, works, NULL);
	if (strcmp(how, "popen") == 0) {
		status = from_shell();
		pthread_join(thread, NULL);
		return status;
	}
	if (pipe(ends))
		return 2;
	child = fork();
	if (child == 0) {
		close(ends[0]);
		usleep(CHILD_SLEEPS);
		_exit(write(ends[1], "hi", 2) != 2);
	}
	close(ends[1]);
	readable = (struct pollfd){.fd = ends[0], .events = POLLIN};
	if (strcmp(how, "poll") == 0 && poll(&readable, 1, 10000) != 1)
		return 4;
	if (strcmp(how, "wait") == 0 && waitpid(child, &status, 0) != child)
		return 5;
	if (read(ends[0], text, sizeof(text)) != 2 || strncmp(text, "hi", 2) != 0)
		return 6;
	if (strcmp(how, "wait") != 0 && waitpid(child, &status, 0) != child)
		return 7;
	pthread_join(thread, NULL);
	return status;
}
