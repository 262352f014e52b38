/* loopback.c - waits until packets on the loopback device have arrived. */
#include "supervisor/kernel/descriptors/loopback.h"

#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/state/core/run_state.h"

/* proc_net(5): each device of our network namespace has a line with its name, then the bytes and packets received. */
#define COUNTERS "/proc/self/net/dev"
#define NAME " lo:"
/*
 * Other programs may use the device all the time. So rfs_loopback_arrive() gives up after this many calls in a row that
 * found packets. A TCP handshake takes three calls; a long message takes some more for each window.
 */
#define CALLS_MAX 200
/* How many milliseconds our own packet may take. No core delays its softirqs that long. */
#define ARRIVES_MS 5000

struct rfs_loopback {
	bool usable; /* the loopback device exists and rfsup can use it */
	int counters, socket;
	uint64_t quiet; /* the device's packet count after our packets of the last call; another count means that others
			   sent packets */
	unsigned in_row; /* calls in a row that found packets */
	cpu_set_t cores; /* the cores that the target runs on */
};

static bool read_counter(const struct rfs_loopback *loopback, uint64_t *out)
{
	char text[4096];
	ssize_t n = pread(loopback->counters, text, sizeof(text) - 1, 0);
	const char *line;

	if (n <= 0)
		return false;
	text[n] = '\0';
	line = strstr(text, NAME);
	return line && sscanf(line + strlen(NAME), "%*u %" SCNu64, out) == 1;
}

/*
 * Binds the datagram socket to a loopback address and connects it to that address, so that it receives what it sends.
 */
static bool connect_to_itself(int fd)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	return bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	       getsockname(fd, (struct sockaddr *)&address, &size) == 0 &&
	       connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
}

static bool send_packet(const struct rfs_loopback *loopback)
{
	struct pollfd arrived = {.fd = loopback->socket, .events = POLLIN};
	char byte = 0;
	int ready;

	if (send(loopback->socket, &byte, sizeof(byte), 0) != sizeof(byte))
		return false;
	do
		ready = poll(&arrived, 1, ARRIVES_MS);
	while (ready < 0);
	return ready > 0 && recv(loopback->socket, &byte, sizeof(byte), 0) == sizeof(byte);
}

/*
 * Sends a packet from each core that the target runs on, and waits for each packet. Returns how many packets arrived.
 */
static unsigned send_packets(const struct rfs_loopback *loopback)
{
	unsigned n = 0;
	cpu_set_t one;

	if (CPU_COUNT(&loopback->cores) < 2)
		return send_packet(loopback);
	for (size_t core = 0; core < CPU_SETSIZE; core++) {
		if (!CPU_ISSET(core, &loopback->cores))
			continue;
		CPU_ZERO(&one);
		CPU_SET(core, &one);
		if (sched_setaffinity(0, sizeof(one), &one) == 0)
			n += send_packet(loopback);
	}
	(void)!sched_setaffinity(0, sizeof(loopback->cores), &loopback->cores);
	return n;
}

static void open_device(struct rfs_loopback *loopback)
{
	CPU_ZERO(&loopback->cores);
	(void)!sched_getaffinity(0, sizeof(loopback->cores), &loopback->cores);
	loopback->counters = open(COUNTERS, O_RDONLY | O_CLOEXEC);
	loopback->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	loopback->usable = loopback->counters >= 0 && loopback->socket >= 0 && connect_to_itself(loopback->socket) &&
			   send_packet(loopback);
}

static void close_device(struct rfs_loopback *loopback)
{
	if (loopback->counters >= 0)
		close(loopback->counters);
	if (loopback->socket >= 0)
		close(loopback->socket);
	loopback->counters = loopback->socket = -1;
}

bool rfs_loopback_sends(struct rfs_run *run, int fd)
{
	struct rfs_loopback *loopback;

	if (fd < 0 || !rfs_loopback_carries(fd))
		return false;
	if (!run->kernel->loopback) {
		loopback = run->kernel->loopback = xcalloc(1, sizeof(*loopback));
		open_device(loopback);
		if (!loopback->usable)
			close_device(loopback);
	}
	return true;
}

bool rfs_loopback_in_use(const struct rfs_run *run)
{
	return run->kernel->loopback && run->kernel->loopback->usable;
}

void rfs_loopback_release(struct rfs_run *run)
{
	if (!run->kernel->loopback)
		return;
	close_device(run->kernel->loopback);
	free(run->kernel->loopback);
}

bool rfs_loopback_arrive(struct rfs_run *run)
{
	struct rfs_loopback *loopback = run->kernel->loopback;
	uint64_t before, sent;

	if (!rfs_loopback_in_use(run))
		return false;
	if (!read_counter(loopback, &before) || before == loopback->quiet || loopback->in_row == CALLS_MAX) {
		loopback->in_row = 0;
		return false;
	}
	sent = send_packets(loopback);
	loopback->quiet = before + sent;
	loopback->in_row++;
	return true;
}

static bool option(int fd, int level, int name)
{
	socklen_t size = sizeof(int);
	int value = 0;

	return getsockopt(fd, level, name, &value, &size) == 0 && value;
}

bool rfs_loopback_carries(int fd)
{
	socklen_t size = sizeof(int);
	int domain = 0;

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && (domain == AF_INET || domain == AF_INET6);
}

void rfs_loopback_push(int fd)
{
	const int on = 1, off = 0;
	socklen_t size = sizeof(int);
	int protocol = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) != 0 || protocol != IPPROTO_TCP ||
	    option(fd, IPPROTO_TCP, TCP_NODELAY) || option(fd, IPPROTO_TCP, TCP_CORK))
		return;
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0)
		(void)!setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off));
}
