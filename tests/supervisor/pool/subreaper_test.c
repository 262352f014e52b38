/* subreaper_test.c - which children are killed, and which are spared. */
#include "supervisor/pool/subreaper.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(subreaper, .timeout = 30);

/* A child that does nothing. */
static pid_t idle(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static bool lives(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(subreaper, kills_all_children_but_those_to_keep)
{
	pid_t kept = idle(), other = idle();

	cr_expect_eq(rfs_subreaper_kill(&kept, 1), 0);
	cr_expect(lives(kept));
	cr_expect(waitpid(other, NULL, WNOHANG) < 0 && errno == ECHILD, "it was killed and reaped");
	cr_expect_eq(rfs_subreaper_kill(NULL, 0), 0);
	cr_expect_not(lives(kept));
}

Test(subreaper, spares_a_child_until_another_is_named)
{
	pid_t spared = idle(), other = idle();

	rfs_subreaper_spare(spared);
	cr_expect_eq(rfs_subreaper_kill(NULL, 0), 0);
	cr_expect(lives(spared));
	cr_expect(waitpid(other, NULL, WNOHANG) < 0 && errno == ECHILD);
	rfs_subreaper_spare(0);
	cr_expect_eq(rfs_subreaper_kill(NULL, 0), 0);
	cr_expect_not(lives(spared));
	end(spared);
}
