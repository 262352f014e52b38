/*
 * A server on TCP port (argument 1), which forks a process for its only client. The status of the server is that of the
 * process: 0 if the client has sent something.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0))};
	int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1, fd, status;
	char line[64];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 8))
		return 2;
	fd = accept(listener, NULL, NULL);
	if (fork() == 0) {
		const ssize_t n = recv(fd, line, sizeof(line), 0);

		_exit(n > 0 && send(fd, "1\n", 2, MSG_NOSIGNAL) == 2 ? 0 : 5);
	}
	close(fd);
	return wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
