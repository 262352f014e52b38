/* server_check_test.c - what a program did before main that its copies would not have, on the fake tracer. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/server/server-priv.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tests/supervisor/fake_tracer/stepped_run.h"
#include "tracer/tracer.h"

TestSuite(server_check, .timeout = 60);

static void begin_thread(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->tid = thread->sync.tid = rfs_pids_add(run, rfs_task_tid(thread->task));
	rfs_kernel_thread_init(thread);
}

static void close_run(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		rfs_kernel_thread_release(run->threads[i]);
	rfs_kernel_release(run);
}

enum leads { NOTHING, A_GROUP, A_SESSION };

/* A process that waits for its end. The tracer starts the target as the leader of a group in its own session. */
static pid_t process(enum leads leads)
{
	int ready[2];
	char byte;
	pid_t pid;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		const bool done = leads == NOTHING || (leads == A_GROUP ? setpgid(0, 0) == 0 : setsid() > 0);

		if (done && write(ready[1], "", 1) == 1)
			execlp("sleep", "sleep", "60", NULL);
		_exit(1);
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* A copy would not be in another group or session. */
Test(server_check, process_group_and_session)
{
	static const struct step_room room = {rfs_kernel_init, begin_thread, NULL, close_run};
	static const struct fake_step script[] = {{0}};
	static const struct fake_step *const scripts[] = {script};

	for (enum leads leads = NOTHING; leads <= A_SESSION; leads++) {
		const pid_t pid = process(leads);
		char why[256] = "";

		step_open(scripts, 1, &room);
		fake_process(pid);
		(void)!rfs_server_check(step_run(), why, sizeof(why));
		cr_expect_eq(strstr(why, "changes its process group or session") != NULL, leads != A_GROUP, "%d: %s",
			     (int)leads, why);
		fake_process(0);
		step_close();
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}
