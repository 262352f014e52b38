/* lanes.c - forks a process for each lane, and reads through pipes what it found. */
#include "supervisor/generate/session/lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/core.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/search/network.h"
#include "supervisor/generate/search/races.h"
#include "supervisor/generate/session/session-priv.h"
#include "supervisor/pool/subreaper.h"

/* What a lane answers. The races of its test follow (rfs_races_send()). */
struct answer {
	enum rfs_judgement judgement;
	struct rfs_session_test counts; /* without its strings */
	uint64_t n_served;
	uint64_t prefix; /* if is_late */
	bool is_late;	 /* rfs_executor_late() */
};

struct lane {
	pid_t pid; /* 0: idle */
	int fd;	   /* where its answer arrives */
	struct rfs_planned_test *test;
};

/* ---- in the process of a lane ---- */

/*
 * A lane and all its processes run on one core, which no other lane uses if there are enough. The first one is that of
 * the session, because several sessions may run at the same time.
 */
static void choose_core(int first, unsigned number)
{
	cpu_set_t all;

	rfs_core_pin(sched_getaffinity(0, sizeof(all), &all) ? -1 : rfs_core_of(&all, first, number));
}

static void lanes_answer(struct rfs_session *s, const struct rfs_planned_test *test, uint64_t served_before, int fd)
{
	struct answer answer = {
		.judgement = test->judged.judgement,
		.counts = test->judged.counts,
		.n_served = rfs_executor_served(s->executor) - served_before,
	};
	FILE *out = fdopen(fd, "w");

	if (!out)
		return;
	answer.is_late = rfs_executor_late(s->executor, &answer.prefix);
	fwrite(&answer, sizeof(answer), 1, out);
	rfs_races_send(s->races, out);
	fclose(out);
}

static void lanes_execute(struct rfs_session *s, unsigned number, struct rfs_planned_test *test, int fd)
{
	const uint64_t served_before = rfs_executor_served(s->executor);

	/* the driver is a child of the session's process */
	rfs_subreaper_spare(0);
	rfs_races_forget_batch(s->races);
	rfs_interrupt_adopt();
	/* a measurement leaves uncontrolled executions to the kernel's scheduler */
	if (!s->settings->executor.plain)
		choose_core(s->first_core, number);
	/* two tests must not use the same port */
	if (s->result->private_network && !rfs_private_network())
		return;
	/* lane 0 is the session's process */
	if (rfs_executor_enter(s->executor, number + 1))
		return;
	rfs_session_judge(s, test);
	rfs_executor_unload(s->executor);
	lanes_answer(s, test, served_before, fd);
}

/* ---- in the process of the session ---- */

static bool lanes_start(struct rfs_session *s, struct lane *lane, unsigned number, struct rfs_planned_test *test)
{
	const pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	fflush(NULL);
	lane->pid = fork();
	if (lane->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			lanes_execute(s, number, test, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (lane->pid < 0) {
		lane->pid = 0;
		close(ends[0]);
		return false;
	}
	lane->fd = ends[0];
	lane->test = test;
	return true;
}

static bool says(const struct rfs_planned_test *test, enum rfs_judgement judgement)
{
	struct answer answer;

	if (test->answer_size < sizeof(answer))
		return false;
	memcpy(&answer, test->answer, sizeof(answer));
	return answer.judgement == judgement;
}

static void lanes_end(struct lane *lane)
{
	close(lane->fd);
	while (waitpid(lane->pid, NULL, 0) < 0 && errno == EINTR)
		;
	lane->pid = 0;
}

/* Reads what has arrived. False: there is no more, because the lane has ended. */
static bool read_more(const struct lane *lane)
{
	struct rfs_planned_test *test = lane->test;
	char part[BUFSIZ];
	ssize_t n = read(lane->fd, part, sizeof(part));

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	test->answer = xreallocarray(test->answer, test->answer_size + (size_t)n, 1);
	memcpy(test->answer + test->answer_size, part, (size_t)n);
	test->answer_size += (size_t)n;
	return true;
}

/*
 * Waits until a lane has answered. Returns whether a test of those that ended now is a bug. A signal to this process
 * ends the executions of all lanes, because they share the pipe of interrupt.c.
 */
static bool wait_for_lanes(struct lane *lanes, size_t n_lanes, struct pollfd *fds)
{
	bool bug = false;

	for (size_t i = 0; i < n_lanes; i++)
		fds[i] = (struct pollfd){.fd = lanes[i].pid ? lanes[i].fd : -1, .events = POLLIN};
	if (poll(fds, n_lanes, -1) < 0)
		return false;
	for (size_t i = 0; i < n_lanes; i++)
		if (fds[i].revents && !read_more(&lanes[i])) {
			lanes_end(&lanes[i]);
			bug |= says(lanes[i].test, RFS_JUDGED_BUG);
		}
	return bug;
}

/* Starts idle lanes with tests that have no answer yet. Returns how many tests it has passed. */
static size_t lanes_fill(struct rfs_session *s, struct lane *lanes, size_t n_lanes, struct rfs_planned_test *tests,
			 size_t n)
{
	size_t next = 0;

	for (size_t i = 0; i < n_lanes; i++) {
		while (next < n && tests[next].answer)
			next++;
		if (next < n && !lanes[i].pid && lanes_start(s, &lanes[i], (unsigned)i, &tests[next]))
			next++;
	}
	return next;
}

static size_t n_running(const struct lane *lanes, size_t n_lanes)
{
	size_t n = 0;

	for (size_t i = 0; i < n_lanes; i++)
		n += lanes[i].pid != 0;
	return n;
}

void rfs_lanes_execute(struct rfs_session *s, struct rfs_planned_test *tests, size_t n)
{
	const size_t jobs = s->settings->options->jobs, n_lanes = jobs < n ? jobs : n;
	struct lane *lanes = xcalloc(n_lanes, sizeof(*lanes));
	struct pollfd *fds = xcalloc(n_lanes, sizeof(*fds));
	size_t next = 0, n_answers = 0;

	for (;;) {
		next += lanes_fill(s, lanes, n_lanes, tests + next, n - next);
		if (!n_running(lanes, n_lanes))
			break;
		/* the tests after a bug may not be needed */
		if (wait_for_lanes(lanes, n_lanes, fds) || rfs_session_is_over(s))
			next = n;
	}
	for (size_t i = 0; i < n; i++)
		n_answers += tests[i].answer != NULL;
	if (!n_answers && !rfs_session_is_over(s)) {
		rfs_warn("--jobs: no test could be executed in a separate process; continuing with one test at a time");
		s->without_lanes = true;
	}
	free(fds);
	free(lanes);
}

bool rfs_lanes_found_bug(const struct rfs_planned_test *test)
{
	return says(test, RFS_JUDGED_BUG);
}

void rfs_lanes_take(struct rfs_session *s, struct rfs_planned_test *test)
{
	FILE *in = test->answer_size ? fmemopen(test->answer, test->answer_size, "r") : NULL;
	struct answer answer;

	if (!in)
		return;
	if (fread(&answer, sizeof(answer), 1, in) == 1 && answer.judgement != RFS_JUDGED_ENDED &&
	    answer.judgement != RFS_JUDGED_BUG && rfs_races_receive(s->races, in)) {
		test->judged = (struct rfs_judged){.judgement = answer.judgement, .counts = answer.counts, .race = -1};
		test->is_judged = true;
		rfs_executor_add(s->executor, answer.counts.n_executions, answer.n_served);
		if (answer.is_late)
			rfs_executor_add_late(s->executor, answer.prefix);
	}
	fclose(in);
}
