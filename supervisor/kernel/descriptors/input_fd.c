/* input_fd.c - which descriptors connect the target with something outside it. */
#include "supervisor/kernel/descriptors/input_fd.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/tracer.h"

/* The file system of pipes without a name (linux/magic.h). A named FIFO is in another file system. */
#define PIPE_FILE_SYSTEM 0x50495045

bool rfs_fd_is_fifo(int fd)
{
	struct statfs fs;
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && fstatfs(fd, &fs) == 0 && fs.f_type != PIPE_FILE_SYSTEM;
}

bool rfs_fd_is_outside(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISFIFO(st.st_mode))
		return rfs_fd_is_fifo(fd);
	return S_ISSOCK(st.st_mode) || (S_ISCHR(st.st_mode) && isatty(fd)) || rfs_fd_is_device(fd);
}

bool rfs_fd_is_device(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	/* major number 1: /dev/null, /dev/zero, /dev/random and so on (mem(4)) */
	return S_ISBLK(st.st_mode) || (S_ISCHR(st.st_mode) && major(st.st_rdev) != 1 && !isatty(fd));
}

pid_t rfs_fd_local_peer(int fd)
{
	int listens = 0, domain = 0;
	struct ucred other = {0};
	socklen_t size = sizeof(int), room = sizeof(other);

	/* a socket that listens names its own process (unix(7)) */
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens)
		return 0;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &room) == 0 ? other.pid : 0;
}

static in_port_t port_of(const struct sockaddr_storage *address)
{
	if (address->ss_family == AF_INET)
		return ((const struct sockaddr_in *)address)->sin_port;
	if (address->ss_family == AF_INET6)
		return ((const struct sockaddr_in6 *)address)->sin6_port;
	return 0;
}

static bool is_loopback(const struct sockaddr_storage *address)
{
	const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;

	if (address->ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return address->ss_family == AF_INET6 &&
	       (IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == IN_LOOPBACKNET));
}

/* Whether the process that has the descriptor has a socket with this port, too. */
static bool has_port(struct rfs_run *run, in_port_t port)
{
	struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", rfs_fd_owner(run));
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder))) {
		struct sockaddr_storage own = {0};
		socklen_t size = sizeof(own);
		int fd = entry->d_name[0] == '.' ? -1 : rfs_fd_duplicate(run, atoi(entry->d_name));

		found = fd >= 0 && getsockname(fd, (struct sockaddr *)&own, &size) == 0 && port_of(&own) == port;
		if (fd >= 0)
			close(fd);
	}
	if (folder)
		closedir(folder);
	return found;
}

bool rfs_fd_peer_is_outside(struct rfs_run *run, int fd)
{
	struct sockaddr_storage peer = {0};
	socklen_t size = sizeof(peer);

	if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0)
		return true;
	if (peer.ss_family == AF_UNIX)
		return rfs_fd_local_peer(fd) != rfs_tracer_pid(run->tracer);
	return !is_loopback(&peer) || !has_port(run, port_of(&peer));
}

bool rfs_fd_datagram_is_outside(struct rfs_run *run, int fd, const struct sockaddr_storage *from)
{
	struct sockaddr_storage own = {0};
	int domain = 0, type = 0;
	socklen_t size = sizeof(int), room = sizeof(own);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
		return false;
	/* streams were checked when they were connected; a datagram of a local socket does not name its sender */
	if (type == SOCK_STREAM || type == SOCK_SEQPACKET || domain == AF_UNIX)
		return false;
	if (domain != AF_INET && domain != AF_INET6)
		return true; /* other families, such as netlink(7) */
	if (from->ss_family)
		return !is_loopback(from) || !has_port(run, port_of(from));
	if (getpeername(fd, (struct sockaddr *)&own, &room) == 0)
		return rfs_fd_peer_is_outside(run, fd);
	/*
	 * a socket bound to the loopback interface receives only from this machine; the sender is assumed to be the
	 * target
	 */
	return getsockname(fd, (struct sockaddr *)&own, &room) != 0 || !is_loopback(&own);
}
