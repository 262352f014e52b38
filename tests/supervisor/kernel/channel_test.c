/* channel_test.c - both ends of a channel have the same number, and different channels have different numbers. */
#include "supervisor/kernel/descriptors/channel.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(channel, .timeout = 20);

/* What is written to `from` arrives at `to`: both have the same channel, which is not 0. */
static void expect_way(int from, int to, const char *what)
{
	uint64_t written = rfs_channel_of(from, true);

	cr_expect_neq(written, 0, "%s", what);
	cr_expect_eq(written, rfs_channel_of(to, false), "%s", what);
	cr_expect_eq(written >> 56, 0, "%s: the top byte is kept free", what);
}

/* Makes a connected pair of sockets on the loopback interface. */
static void connect_pair(int family, int pair[2])
{
	struct sockaddr_storage address = {.ss_family = (sa_family_t)family};
	socklen_t size = sizeof(address);
	int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	((struct sockaddr_in *)&address)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	cr_assert_eq(bind(listener, (struct sockaddr *)&address, sizeof(struct sockaddr_in)), 0);
	cr_assert_eq(listen(listener, 1), 0);
	cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	pair[0] = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(connect(pair[0], (struct sockaddr *)&address, size), 0);
	pair[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	cr_assert_geq(pair[1], 0);
	close(listener);
}

Test(channel, pipes)
{
	int first[2], second[2];

	cr_assert(pipe2(first, O_CLOEXEC) == 0 && pipe2(second, O_CLOEXEC) == 0);
	expect_way(first[1], first[0], "a pipe");
	expect_way(dup(first[1]), first[0], "a duplicate");
	cr_expect_neq(rfs_channel_of(first[1], true), rfs_channel_of(second[1], true));
}

Test(channel, sockets_have_two_ways)
{
	int unix_pair[2], inet_pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, unix_pair), 0);
	connect_pair(AF_INET, inet_pair);
	expect_way(unix_pair[0], unix_pair[1], "socketpair");
	expect_way(unix_pair[1], unix_pair[0], "socketpair, the way back");
	cr_expect_neq(rfs_channel_of(unix_pair[0], true), rfs_channel_of(unix_pair[1], true));
	expect_way(inet_pair[0], inet_pair[1], "connection");
	expect_way(inet_pair[1], inet_pair[0], "connection, the way back");
	cr_expect_neq(rfs_channel_of(inet_pair[0], true), rfs_channel_of(inet_pair[1], true));
}

/* All eventfds share one inode, so their channels need another number. */
Test(channel, eventfds)
{
	int first = eventfd(0, EFD_CLOEXEC), second = eventfd(0, EFD_CLOEXEC);

	expect_way(first, dup(first), "an eventfd");
	cr_expect_neq(rfs_channel_of(first, true), rfs_channel_of(second, true));
}

Test(channel, what_nobody_is_at_the_other_end_of)
{
	const struct {
		const char *what;
		int fd;
	} cases[] = {
		{"a closed descriptor", -1},
		{"a file", open("/proc/self/exe", O_RDONLY | O_CLOEXEC)},
		{"a folder", open("/", O_RDONLY | O_CLOEXEC)},
		{"a device", open("/dev/null", O_RDWR | O_CLOEXEC)},
		{"a socket without peer", socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)},
		{"an unconnected socket", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)},
		{"an epoll instance", epoll_create1(EPOLL_CLOEXEC)},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_channel_of(cases[i].fd, true), 0, "%s", cases[i].what);
}

Test(channel, numbers_of_what_has_no_name)
{
	int pipes[2];

	cr_assert_eq(pipe2(pipes, O_CLOEXEC), 0);
	cr_expect_eq(rfs_channel_by_number(5), rfs_channel_by_number(5));
	cr_expect_neq(rfs_channel_by_number(5), rfs_channel_by_number(6));
	cr_expect_neq(rfs_channel_by_number(0), rfs_channel_of_opens());
	cr_expect_neq(rfs_channel_of_opens(), rfs_channel_of(pipes[0], false));
}
