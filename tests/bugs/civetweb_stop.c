/*
 * civetweb_stop.c - a server of civetweb is stopped while it serves two clients. A connection that it has accepted, and
 * that no worker has taken yet, is neither answered nor closed: its client waits for ever.
 *
 * package: libcivetweb-dev
 * link: -lcivetweb
 * expect: DEADLOCK of 2 threads
 */
#include <arpa/inet.h>
#include <civetweb.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const char request[] = "GET / HTTP/1.0\r\n\r\n";
static const char answer[] = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi";
static int port;

static int hello(struct mg_connection *connection, void *unused)
{
	(void)unused;
	mg_write(connection, answer, sizeof(answer) - 1);
	return 200;
}

static void *client(void *unused)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((unsigned short)port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char buffer[200];

	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    write(fd, request, sizeof(request) - 1) == sizeof(request) - 1)
		while (read(fd, buffer, sizeof(buffer)) > 0)
			;
	close(fd);
	return unused;
}

int main(void)
{
	const char *options[] = {"listening_ports", "127.0.0.1:0", "num_threads", "2", NULL};
	struct mg_callbacks callbacks;
	struct mg_server_port ports[1];
	struct mg_context *server;
	pthread_t a, b;

	memset(&callbacks, 0, sizeof(callbacks));
	mg_init_library(0);
	server = mg_start(&callbacks, NULL, options);
	if (!server || mg_get_server_ports(server, 1, ports) != 1)
		return 2;
	port = ports[0].port;
	mg_set_request_handler(server, "/", hello, NULL);
	pthread_create(&a, NULL, client, NULL);
	pthread_create(&b, NULL, client, NULL);
	pthread_join(a, NULL);
	mg_stop(server);
	pthread_join(b, NULL);
	mg_exit_library();
	return 0;
}
