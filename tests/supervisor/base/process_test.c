#include <criterion/criterion.h>
#include <sys/prctl.h>
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
