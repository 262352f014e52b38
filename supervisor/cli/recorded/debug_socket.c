/* debug_socket.c - opens sockets that listen. */
#include "supervisor/cli/recorded/debug_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"

int rfs_debug_socket_unix(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), error;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0)
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	return -error;
}

/* HOST:PORT of a socket, with the port that the kernel has chosen. Caller frees. */
static char *name_of(int fd, const char *host)
{
	struct sockaddr_storage address;
	socklen_t n = sizeof(address);
	bool six;

	if (getsockname(fd, (struct sockaddr *)&address, &n))
		die("--gdb-port: cannot read the port of the socket: %s", strerror(errno));
	six = address.ss_family == AF_INET6;
	return xasprintf(
		six ? "[%s]:%u" : "%s:%u", host,
		ntohs(six ? ((struct sockaddr_in6 *)&address)->sin6_port : ((struct sockaddr_in *)&address)->sin_port));
}

/* The part before the last colon, without the brackets of an IPv6 address. Caller frees. */
static char *host_of(const char *port)
{
	const char *colon = strrchr(port, ':');
	size_t n = colon ? (size_t)(colon - port) : 0;

	if (n == 0)
		return xstrdup("127.0.0.1");
	return *port == '[' && port[n - 1] == ']' ? xstrndup(port + 1, n - 2) : xstrndup(port, n);
}

int rfs_debug_socket_tcp(const char *port, char **address)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	const char *colon = strrchr(port, ':');
	char *host = host_of(port);
	struct addrinfo *list = NULL;
	int error = getaddrinfo(host, colon ? colon + 1 : port, &hints, &list), fd = -1;
	const int on = 1;

	if (error)
		die("--gdb-port: cannot find the host '%s': %s", host, gai_strerror(error));
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		/* otherwise a port cannot be used again for a minute */
		if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
				bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 1))) {
			error = errno;
			close(fd);
			fd = -1;
			errno = error;
		}
	}
	if (fd < 0)
		die("--gdb-port: cannot open port %s: %s", port, strerror(errno));
	*address = name_of(fd, host);
	freeaddrinfo(list);
	free(host);
	return fd;
}
