/*
 * A server that waits for a child in a loop of wait4(2) and select(2). The child's SIGCHLD, which is ignored, comes
 * while the server is before its select, which must end at its time and not before or twice.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, fd, rounds = 0;
	pid_t child;

	to.sin_port = htons((unsigned short)atoi(argc > 1 ? argv[1] : "0"));
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&to, sizeof(to)) || listen(listener, 4))
		return 2;
	fd = accept(listener, NULL, NULL);
	if (fd < 0 || read(fd, &(char){0}, 1) < 0)
		return 2;
	child = fork();
	if (child == 0) {
		usleep(5000);
		_exit(0);
	}
	while (waitpid(child, NULL, WNOHANG) == 0) {
		struct timeval time = {.tv_usec = 10000};

		rounds++;
		usleep(6000); /* the child ends before the next call */
		if (select(0, NULL, NULL, NULL, &time) < 0)
			printf("error %d\n", errno);
	}
	printf("%s\n", rounds == 1 ? "one round" : "several rounds");
	return 0;
}
