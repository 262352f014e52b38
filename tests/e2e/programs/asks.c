/*
 * A client. Argument 1 is the port, argument 2 the number of connections. Each connection sends the other arguments,
 * one line each, and waits for an answer to each line. In an argument, "~" is an end of line.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int port;
static char **lines;

static void say(int fd, const char *line)
{
	char text[256], answer[4096];
	size_t n = 0;

	for (; *line && n < sizeof(text) - 4; line++) {
		if (*line == '~')
			text[n++] = '\r';
		text[n++] = *line == '~' ? '\n' : *line;
	}
	text[n++] = '\r';
	text[n++] = '\n';
	if (send(fd, text, n, MSG_NOSIGNAL) < 0 || recv(fd, answer, sizeof(answer), 0) <= 0)
		exit(1);
}

static void *ask(void *arg)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = -1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	/* on a busy machine, the server may still be starting */
	for (int i = 0; i < 60000; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
			break;
		close(fd);
		fd = -1;
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	for (char **line = lines; *line && fd >= 0; line++)
		say(fd, *line);
	close(fd);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	int n;

	if (argc < 4)
		return 2;
	port = atoi(argv[1]);
	n = atoi(argv[2]);
	lines = argv + 3;
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, ask, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
