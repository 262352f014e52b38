/* gdb_link.c - checksums, escapes and acknowledgements. What a packet means is decided elsewhere (gdb_server.c). */
#include "supervisor/gdb/gdb_link.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "supervisor/base/alloc.h"

#define INTERRUPT 0x03
#define ESCAPE '}'
#define ESCAPE_BIT 0x20

static void gdb_link_drop(struct rfs_gdb_link *link, size_t n)
{
	link->n -= n;
	memmove(link->in, link->in + n, link->n);
}

/*
 * Takes the next packet or interrupt out of the received bytes. 1: a packet. 0: an interrupt. -EAGAIN: more bytes are
 * needed. -EPROTO: the packet is too long.
 */
static int gdb_link_take(struct rfs_gdb_link *link, struct rfs_gdb_packet *out)
{
	const unsigned char *hash;
	size_t skip = 0, end;

	while (skip < link->n && link->in[skip] != '$' && link->in[skip] != INTERRUPT)
		skip++; /* other bytes are acknowledgements */
	gdb_link_drop(link, skip);
	if (link->n == 0)
		return -EAGAIN;
	if (link->in[0] == INTERRUPT) {
		gdb_link_drop(link, 1);
		return 0;
	}
	hash = memchr(link->in, '#', link->n);
	if (!hash || hash + 2 >= link->in + link->n)
		return link->n == sizeof(link->in) ? -EPROTO : -EAGAIN;
	end = (size_t)(hash - link->in);
	out->n = 0;
	for (size_t i = 1; i < end; i++) {
		unsigned char byte = link->in[i];

		if (byte == ESCAPE && i + 1 < end)
			byte = link->in[++i] ^ ESCAPE_BIT;
		if (out->n == RFS_GDB_PACKET_MAX)
			return -EPROTO;
		out->data[out->n++] = (char)byte;
	}
	out->data[out->n] = '\0';
	gdb_link_drop(link, end + 3);
	return 1;
}

/*
 * Receives more bytes. flags: the flags of recv(2). 0: bytes were received. -EAGAIN: there are no bytes now. -EPIPE:
 * gdb is gone.
 */
static int gdb_link_fill(struct rfs_gdb_link *link, int flags)
{
	ssize_t got;

	do
		got = recv(link->fd, link->in + link->n, sizeof(link->in) - link->n, flags);
	while (got < 0 && errno == EINTR);
	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return -EAGAIN;
	if (got <= 0)
		return -EPIPE;
	link->n += (size_t)got;
	return 0;
}

static void send_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return;
		if (sent > 0) {
			bytes += sent;
			n -= (size_t)sent;
		}
	}
}

int rfs_gdb_receive(struct rfs_gdb_link *link, int stop, struct rfs_gdb_packet *out)
{
	for (;;) {
		struct pollfd fds[2] = {{.fd = link->fd, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
		int r = gdb_link_take(link, out);

		if (r == 1 && !link->no_ack)
			send_all(link->fd, "+", 1);
		if (r != -EAGAIN)
			return r;
		if (poll(fds, 2, -1) < 0)
			continue; /* EINTR: the run's interval timer (run/pump.c) */
		if (fds[1].revents)
			return -ECANCELED;
		r = gdb_link_fill(link, 0);
		if (r)
			return r;
	}
}

bool rfs_gdb_wanted(struct rfs_gdb_link *link)
{
	int r = link->n < sizeof(link->in) ? gdb_link_fill(link, MSG_DONTWAIT) : 0;

	if (r == -EPIPE)
		return true;
	if (!memchr(link->in, INTERRUPT, link->n))
		return false;
	link->n = 0; /* all other bytes can be dropped: gdb sends no packets while it waits for a stop */
	return true;
}

void rfs_gdb_send(const struct rfs_gdb_link *link, const void *data, size_t n)
{
	static const char hex[] = "0123456789abcdef", escaped[] = {'$', '#', '}', '*'};
	const unsigned char *from = data;
	char *packet = xmalloc(2 * n + 4);
	size_t length = 0;
	uint8_t sum = 0;

	packet[length++] = '$';
	for (size_t i = 0; i < n; i++) {
		if (memchr(escaped, from[i], sizeof(escaped))) {
			packet[length++] = ESCAPE;
			packet[length++] = (char)(from[i] ^ ESCAPE_BIT);
		} else {
			packet[length++] = (char)from[i];
		}
	}
	for (size_t i = 1; i < length; i++)
		sum = (uint8_t)(sum + (unsigned char)packet[i]);
	packet[length++] = '#';
	packet[length++] = hex[sum >> 4];
	packet[length++] = hex[sum & 15];
	send_all(link->fd, packet, length);
	free(packet);
}
