#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/process.h"

TestSuite(process, .timeout = 60);

Test(process, parent)
{
	int pipes[2];
	pid_t child;
	char byte;

	cr_assert_eq(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "a) S 1 (b");
		_exit(write(pipes[1], "x", 1) != 1 || pause());
	}
	cr_assert_eq(read(pipes[0], &byte, 1), 1);
	cr_expect_eq(rfs_process_parent(getpid()), getppid());
	cr_expect_eq(rfs_process_parent(child), getpid(), "the name is not part of the numbers");
	kill(child, SIGKILL);
	cr_assert_eq(waitpid(child, NULL, 0), child);
	cr_expect_eq(rfs_process_parent(child), 0);
}

Test(process, descriptor)
{
	int pipes[2], file = open("/dev/null", O_RDONLY | O_CLOEXEC), events = eventfd(0, EFD_CLOEXEC),
		      end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct {
		int fd;
		const char *what;
	} cases[] = {{file, "/dev/null"}, {events, "eventfd"}, {end, "socket"}};
	char *what;

	cr_assert_eq(pipe(pipes), 0);
	what = rfs_process_descriptor(getpid(), pipes[1]);
	cr_expect_str_eq(what, "pipe");
	free(what);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		what = rfs_process_descriptor(getpid(), cases[i].fd);
		cr_expect_str_eq(what, cases[i].what);
		free(what);
	}
	close(pipes[0]);
	cr_expect_null(rfs_process_descriptor(getpid(), pipes[0]));
}
