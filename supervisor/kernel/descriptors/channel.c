/* channel.c - which channel a descriptor is an end of. */
#include "supervisor/kernel/descriptors/channel.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "supervisor/kernel/descriptors/target_fd.h"

/* The number of a channel is a hash of this struct. The hash reads bytes, so the struct must have no padding. */
struct name {
	uint64_t kind; /* NAME_* below, or a file type (S_IF*) */
	uint64_t device, number;
};
#define NAME_EVENT 1ull
#define NAME_DESCRIPTOR 2ull
#define NAME_OPEN 3ull

/* Clears the top byte, where rfs_message() stores the kind of message. Never returns 0, which means unknown. */
static uint64_t channel_shorten(uint64_t hash)
{
	hash &= (1ull << 56) - 1;
	return hash ? hash : 1;
}

static uint64_t channel_number_of(uint64_t kind, uint64_t device, uint64_t number)
{
	const struct name name = {kind, device, number};

	return channel_shorten(XXH3_64bits(&name, sizeof(name)));
}

uint64_t rfs_channel_by_number(int target_fd)
{
	return channel_number_of(NAME_DESCRIPTOR, 0, (uint64_t)target_fd);
}

uint64_t rfs_channel_of_opens(void)
{
	return channel_number_of(NAME_OPEN, 0, 0);
}

/* All eventfds share one inode; proc(5) distinguishes them by a line "eventfd-id: N". */
static uint64_t eventfd_channel(int fd)
{
	FILE *info = rfs_fd_info(fd);
	uint64_t channel = 0;
	char line[128];
	unsigned id;

	while (info && !channel && fgets(line, sizeof(line), info))
		if (sscanf(line, "eventfd-id: %u", &id) == 1)
			channel = channel_number_of(NAME_EVENT, 0, id);
	if (info)
		fclose(info);
	return channel;
}

/* Finds the attribute UNIX_DIAG_PEER in an answer of sock_diag(7). 0: it is not there. */
static uint32_t peer_in(const char *answer, size_t n)
{
	const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
	size_t at = NLMSG_LENGTH(NLMSG_ALIGN(sizeof(struct unix_diag_msg)));
	struct nlattr attribute;
	uint32_t peer = 0;

	if (n < sizeof(*header) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	while (at + sizeof(attribute) <= n) {
		memcpy(&attribute, answer + at, sizeof(attribute));
		if (attribute.nla_len < sizeof(attribute))
			return 0;
		if (attribute.nla_type == UNIX_DIAG_PEER && at + NLA_HDRLEN + sizeof(peer) <= n) {
			memcpy(&peer, answer + at + NLA_HDRLEN, sizeof(peer));
			return peer;
		}
		at += NLA_ALIGN(attribute.nla_len);
	}
	return 0;
}

/*
 * The inode of the other end of a local socket. 0: the socket is not connected, or the kernel does not give the inode.
 */
static uint32_t unix_peer(ino_t inode)
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} ask = {
		.header = {.nlmsg_len = sizeof(ask), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
		.request = {.sdiag_family = AF_UNIX,
			    .udiag_states = UINT32_MAX,
			    .udiag_ino = (uint32_t)inode,
			    .udiag_show = UDIAG_SHOW_PEER,
			    .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	_Alignas(struct nlmsghdr) char answer[512];
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t n = -1;

	if (netlink < 0)
		return 0;
	if (send(netlink, &ask, sizeof(ask), 0) == sizeof(ask))
		n = recv(netlink, answer, sizeof(answer), 0);
	close(netlink);
	return n < 0 ? 0 : peer_in(answer, (size_t)n);
}

/* The channel of a connection between two addresses. Each direction has a separate channel. */
static uint64_t inet_channel(int fd, bool write)
{
	struct sockaddr_storage way[2] = {0}; /* from, to */
	socklen_t own = sizeof(way[0]), other = sizeof(way[1]);

	if (getsockname(fd, (struct sockaddr *)&way[write ? 0 : 1], &own) != 0 ||
	    getpeername(fd, (struct sockaddr *)&way[write ? 1 : 0], &other) != 0)
		return 0;
	return channel_shorten(XXH3_64bits(way, sizeof(way)));
}

static uint64_t socket_channel(int fd, const struct stat *st, bool write)
{
	struct sockaddr_storage own = {0};
	socklen_t n = sizeof(own);
	uint64_t inode = st->st_ino;

	if (getsockname(fd, (struct sockaddr *)&own, &n) != 0)
		return 0;
	if (own.ss_family == AF_INET || own.ss_family == AF_INET6)
		return inet_channel(fd, write);
	if (own.ss_family != AF_UNIX)
		return 0;
	if (write)
		inode = unix_peer(st->st_ino);
	return inode ? channel_number_of(S_IFSOCK, 0, inode) : 0;
}

uint64_t rfs_channel_of(int fd, bool write)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return 0;
	if (S_ISFIFO(st.st_mode))
		return channel_number_of(S_IFIFO, st.st_dev, st.st_ino);
	if (S_ISSOCK(st.st_mode))
		return socket_channel(fd, &st, write);
	return (st.st_mode & S_IFMT) == 0 ? eventfd_channel(fd) : 0;
}
