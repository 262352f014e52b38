/*
 * network.c - a network namespace. Without privileges, it needs a user namespace too, in which the user is the same.
 * The whole session is in it, because the supervisor asks the kernel for the sockets of the target
 * (supervisor/kernel/descriptors/channel.c), and the kernel only tells of those in the same network.
 */
#include "supervisor/generate/search/network.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"

static bool network_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool map_user(uid_t user, gid_t group)
{
	char *users = xasprintf("%u %u 1", user, user), *groups = xasprintf("%u %u 1", group, group);
	bool good = network_write_file("/proc/self/uid_map", users) &&
		    network_write_file("/proc/self/setgroups", "deny") &&
		    network_write_file("/proc/self/gid_map", groups);

	free(users);
	free(groups);
	return good;
}

static bool start_loopback(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool good = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;

	if (fd >= 0)
		close(fd);
	/* a port would be in use for a minute after a connection has ended, and a later test could tell */
	(void)network_write_file("/proc/sys/net/ipv4/tcp_max_tw_buckets", "0");
	return good;
}

static bool network_enter(void)
{
	const uid_t user = geteuid();
	const gid_t group = getegid();

	if (unshare(CLONE_NEWNET) &&
	    (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNET) || !map_user(user, group)))
		return false;
	return start_loopback();
}

bool rfs_private_network(void)
{
	pid_t child = fork();
	int status;

	/* a step may fail after others have succeeded, so a child tries all of them first */
	if (child == 0)
		_exit(!network_enter());
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return child > 0 && status == 0 && network_enter();
}
