/* target_fd_test.c - whether a descriptor is ready does not depend on signals that arrive at the same time. */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "supervisor/kernel/descriptors/target_fd.h"

TestSuite(target_fd, .timeout = 60);

#define SIGNALS 2000

static volatile sig_atomic_t signals;

static void on_alarm(int signo)
{
	(void)signo;
	signals++;
}

Test(target_fd, readable_says_nothing_of_signals)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval every = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
	unsigned long asked = 0, ready = 0;
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
	cr_assert_eq(setitimer(ITIMER_REAL, &every, NULL), 0);
	for (; signals < SIGNALS; asked++)
		ready += rfs_fd_readable(ends[0]);
	cr_assert_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	cr_expect_eq(ready, 0, "empty, and readable %lu of %lu times", ready, asked);
	cr_assert_eq(write(ends[1], "", 1), 1);
	cr_expect(rfs_fd_readable(ends[0]));
	close(ends[0]);
	close(ends[1]);
}
