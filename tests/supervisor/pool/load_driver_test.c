/* load_driver_test.c - where a load driver runs, when it has ended, and that none of its processes survives. */
#include "supervisor/pool/load_driver.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/record/run_spec.h"
#include "tests/supervisor/scratch.h"

TestSuite(load_driver, .timeout = 30);

/* Starts a load driver. *output gives what it writes, and end of file when all its processes have ended. */
static void start(const char *command, const char *folder, struct rfs_load_driver *drive, int *output)
{
	char why[256] = "", *envp[] = {(char[]){"PATH=/usr/bin:/bin"}, (char[]){"WORD=given"}, NULL};
	struct rfs_run_spec spec = {.process.cwd = folder, .process.envp = envp};
	int ends[2];

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	spec.process.fd_err = ends[1];
	cr_assert_eq(rfs_load_driver_start(command, &spec.process, drive, why, sizeof(why)), 0, "%s", why);
	close(ends[1]);
	*output = ends[0];
}

static size_t read_all(int fd, char *text, size_t room)
{
	size_t n = 0;
	ssize_t more;

	while (n + 1 < room && (more = read(fd, text + n, room - n - 1)) > 0)
		n += (size_t)more;
	text[n] = '\0';
	return n;
}

Test(load_driver, runs_in_the_folder_and_environment_of_the_run)
{
	char *scratch = scratch_enter(), text[512], expected[512];
	struct rfs_load_driver drive;
	int output, status;

	cr_assert_eq(chdir("/"), 0);
	start("cat; pwd; echo $WORD; echo failed >&2; exit 3", scratch, &drive, &output);
	read_all(output, text, sizeof(text));
	snprintf(expected, sizeof(expected), "%s\ngiven\nfailed\n", scratch);
	cr_expect_str_eq(text, expected, "standard input is empty, both outputs are spec's");
	cr_expect_eq(read_all(drive.fd, text, sizeof(text)), sizeof(status), "readable once it has ended");
	memcpy(&status, text, sizeof(status));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 3, "how it has ended");
	cr_expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "it is no child of ours");
	rfs_load_driver_end(&drive);
	scratch_leave(scratch);
}

Test(load_driver, nothing_is_left_of_it)
{
	struct rfs_load_driver drive;
	struct pollfd ended;
	char text[64];
	int output;

	start("sleep 1000 & echo ready; sleep 1000", "/", &drive, &output);
	cr_assert_eq(read(output, text, 6), 6);
	ended = (struct pollfd){.fd = drive.fd, .events = POLLIN};
	cr_expect_eq(poll(&ended, 1, 0), 0, "it has not ended");
	rfs_load_driver_end(&drive);
	cr_expect_eq(drive.fd, -1);
	/* a process that survives keeps the pipe open, and the test times out */
	cr_expect_eq(read_all(output, text, sizeof(text)), 0);
	rfs_load_driver_end(&drive);
}
