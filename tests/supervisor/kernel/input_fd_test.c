/* input_fd_test.c - which descriptors lead out of the target. */
#include "supervisor/kernel/descriptors/input_fd.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/supervisor/scratch.h"

TestSuite(input_fd, .timeout = 20);

static int opened(const char *path)
{
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

static int terminal(int *master)
{
	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	return *master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0 ? opened(ptsname(*master)) : -1;
}

Test(input_fd, kinds)
{
	char *scratch = scratch_enter();
	int pipes[2], master;

	cr_assert_eq(pipe2(pipes, O_CLOEXEC), 0);
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	scratch_file("file", "x", 1, 0600);
	{
		const struct {
			const char *what;
			int fd;
			bool fifo, device, outside;
		} cases[] = {
			{"a file", opened("file"), false, false, false},
			{"a folder", open(".", O_RDONLY | O_CLOEXEC), false, false, false},
			{"a pipe", pipes[0], false, false, false},
			{"a FIFO", opened("fifo"), true, false, true},
			{"an eventfd", eventfd(0, EFD_CLOEXEC), false, false, false},
			{"/dev/null", opened("/dev/null"), false, false, false},
			{"/dev/zero", opened("/dev/zero"), false, false, false},
			{"/dev/urandom", open("/dev/urandom", O_RDONLY | O_CLOEXEC), false, false, false},
			{"a socket", socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), false, false, true},
			{"a terminal", terminal(&master), false, false, true},
		};

		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			cr_assert_geq(cases[i].fd, 0, "%s", cases[i].what);
			cr_expect_eq(rfs_fd_is_fifo(cases[i].fd), cases[i].fifo, "%s", cases[i].what);
			cr_expect_eq(rfs_fd_is_device(cases[i].fd), cases[i].device, "%s", cases[i].what);
			cr_expect_eq(rfs_fd_is_outside(cases[i].fd), cases[i].outside, "%s", cases[i].what);
		}
	}
	cr_expect_not(rfs_fd_is_fifo(-1) || rfs_fd_is_device(-1) || rfs_fd_is_outside(-1), "a closed descriptor");
	close(master);
	scratch_leave(scratch);
}
