/* invariants_test.c - what RFS_BUG() prints about a run, and which states of a run are broken. */
#include "supervisor/state/operations/invariants.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/error.h"
#include "supervisor/base/site.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/trace.h"

TestSuite(invariants, .timeout = 30);

#define THREADS 3

/*
 * A run with three threads right before a choice: one is parked, one is in the kernel, and one has ended. It has no
 * target.
 */
struct sample {
	struct rfs_run_spec spec;
	struct rfs_run_result result;
	struct rfs_run run;
	struct rfs_module_info module, *modules[1];
	struct rfs_thread thread[THREADS], *threads[THREADS];
	struct rfs_hold holds[2];
};

/* Only compared with NULL, never read. */
static struct rfs_task *const some_task = (struct rfs_task *)&some_task;

static void init(struct sample *s)
{
	char why[100];

	memset(s, 0, sizeof(*s));
	s->module.path = (char *)"/bin/program";
	s->modules[0] = &s->module;
	s->holds[0] = (struct rfs_hold){.lock = 0x4080, .kind = RFS_OP_LOCK, .count = 2};
	s->holds[1] = (struct rfs_hold){.lock = 0x40c0, .kind = RFS_OP_RDLOCK, .count = 1};
	for (int i = 0; i < THREADS; i++) {
		s->thread[i].number = i;
		s->thread[i].tid = 100 + i;
		s->thread[i].task = some_task;
		s->threads[i] = &s->thread[i];
	}
	s->thread[0].state = RFS_STATE_PARKED;
	s->thread[0].next = rfs_op_make(RFS_OP_LOCK, rfs_site_make(0, 0x1189), 0x4040);
	s->thread[0].ready = rfs_ready_always;
	s->thread[0].go = rfs_go_on;
	s->thread[0].sync.holds = s->holds;
	s->thread[0].sync.n_holds = 2;
	s->thread[1].state = RFS_STATE_KERNEL;
	s->thread[1].next = rfs_op_make(RFS_OP_JOIN, 0, 0);
	s->thread[1].next.peer = 0;
	s->thread[2].state = RFS_STATE_ENDED;
	s->thread[2].task = NULL;
	s->run = (struct rfs_run){.spec = &s->spec,
				  .result = &s->result,
				  .threads = s->threads,
				  .n_threads = THREADS,
				  .modules = s->modules,
				  .n_modules = 1,
				  .current = 1,
				  .time.now = 12000};
	cr_assert_eq(rfs_trace_open(&s->run, why, sizeof(why)), 0);
}

#define DUMP                                                                                                           \
	"run: 0 operations, virtual time 12000 ns, last choice thread 1, no thread running\n"                          \
	"thread 0 (100): parked before lock 0x4040 at program+0x1189, holds 0x4080 (lock, 2), 0x40c0 (rdlock, 1)\n"    \
	"thread 1 (101): in the kernel, after join of thread 0\n"                                                      \
	"thread 2 (102): ended\n"

Test(invariants, a_dump_shows_every_thread)
{
	struct sample s;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	init(&s);
	cr_assert(out);
	rfs_run_dump(&s.run, out);
	s.run.running = &s.thread[1];
	s.thread[1].state = RFS_STATE_RUNNING;
	s.run.n_threads = 0;
	rfs_run_dump(&s.run, out);
	fclose(out);
	cr_expect_str_eq(text,
			 DUMP "run: 0 operations, virtual time 12000 ns, last choice thread 1, thread 1 running\n");
	free(text);
	rfs_trace_close(&s.run);
}

Test(invariants, a_bug_dumps_the_run)
{
	char seen[2000] = "", *dump;
	struct sample s;
	int ends[2], status;
	pid_t child;

	init(&s);
	cr_assert_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		rfs_run_dump_on_bug(&s.run);
		RFS_BUG("number %d", 1);
	}
	cr_assert(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	cr_assert_gt(read(ends[0], seen, sizeof(seen) - 1), 0);
	dump = strchr(seen, '\n');
	cr_assert_not_null(dump);
	cr_expect_str_eq(dump + 1, DUMP);
	cr_expect_not_null(strstr(seen, "number 1\n"));
	close(ends[0]);
	close(ends[1]);
	rfs_trace_close(&s.run);
}

Test(invariants, a_sound_run_passes)
{
	struct sample s;

	init(&s);
	for (int i = 0; i < 3; i++) {
		rfs_invariants_check(&s.run);
		rfs_trace_op(&s.run, &s.thread[0], &s.thread[0].next, RFS_OUTCOME_DONE);
		s.result.counts.steps++;
	}
	rfs_trace_close(&s.run);
}

/* ---- runs that are broken in one way each ---- */

static void none_runs(struct sample *s)
{
	s->run.running = &s->thread[0];
}

static void no_operation(struct sample *s)
{
	s->thread[0].next.kind = RFS_OP_NONE;
}

static void no_way_on(struct sample *s)
{
	s->thread[0].go = NULL;
}

static void held_by_no_lock(struct sample *s)
{
	s->holds[0].kind = RFS_OP_UNLOCK;
}

static void held_no_times(struct sample *s)
{
	s->holds[1].count = 0;
}

static void held_twice(struct sample *s)
{
	s->holds[1].lock = s->holds[0].lock;
}

static void steps_go_back(struct sample *s)
{
	s->run.checked.steps = 1;
}

static void trace_goes_back(struct sample *s)
{
	s->run.checked.position = 1;
}

static void not_in_the_trace(struct sample *s)
{
	s->result.counts.steps = 1;
}

#define BROKEN(how)                                                                                                    \
	Test(invariants, how, .signal = SIGABRT)                                                                       \
	{                                                                                                              \
		struct sample s;                                                                                       \
                                                                                                                       \
		init(&s);                                                                                              \
		how(&s);                                                                                               \
		rfs_invariants_check(&s.run);                                                                          \
	}

BROKEN(none_runs)
BROKEN(no_operation)
BROKEN(no_way_on)
BROKEN(held_by_no_lock)
BROKEN(held_no_times)
BROKEN(held_twice)
BROKEN(steps_go_back)
BROKEN(trace_goes_back)
BROKEN(not_in_the_trace)
