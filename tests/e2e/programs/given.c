/*
 * given stdin | fresh: checks what each execution gets, and has a second thread. stdin: standard input must be the word
 * "given" and nothing else. fresh: the working directory must be an untouched copy, in which it then leaves a mark.
 * Exit status 0: all is right.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

static int from_stdin(void)
{
	char text[16];

	return read(0, text, sizeof(text)) == 6 && memcmp(text, "given\n", 6) == 0 && read(0, text, 1) == 0 ? 0 : 1;
}

static int from_fresh(void)
{
	char text[16];
	int fd = open("untouched", O_RDWR);

	if (fd < 0 || read(fd, text, sizeof(text)) != 4 || memcmp(text, "yes\n", 4) != 0)
		return 2;
	if (open("mark", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
		return 3;
	return pwrite(fd, "no \n", 4, 0) == 4 ? 0 : 4;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	return argc > 1 && !strcmp(argv[1], "stdin") ? from_stdin() : from_fresh();
}
