/* What OpenMP's constructs order: messages that the model sends and receives, compared as vector clocks would. */
#include <criterion/criterion.h>
#include <string.h>

#include "supervisor/model/openmp.h"
#include "tests/heap.h"

TestSuite(openmp, .timeout = 60);

#define F 0x1000u
#define T 0x2000u
#define DATA 0x3000u
#define X 0x4000u
#define THREADS 4
#define MESSAGES 4096

/* knows[t]: the marks that thread t has learnt; carries[m]: those that message m carries. */
static unsigned knows[THREADS], carries[MESSAGES];
static int now;
static struct rfs_openmp *model;

static void hear(void *arg, enum rfs_event_kind kind, uint64_t message)
{
	(void)arg;
	cr_assert_lt(message, MESSAGES);
	if (kind == RFS_EVENT_SEND)
		carries[message] |= knows[now];
	else if (kind == RFS_EVENT_RECEIVE)
		knows[now] |= carries[message];
	else
		carries[message] = 0;
}

static void begin(void)
{
	memset(knows, 0, sizeof(knows));
	memset(carries, 0, sizeof(carries));
	model = rfs_openmp_new(hear, NULL);
}

static void end(void)
{
	rfs_openmp_free(model);
}

/* The thread is the next speaker; it first sets this mark, as an access would. */
static int by(int thread, unsigned mark)
{
	now = thread;
	knows[thread] |= mark;
	return thread;
}

static bool knows_of(int thread, unsigned mark)
{
	return knows[thread] & mark;
}

/* A team of threads 0 to n - 1, begun by thread 0. */
static void team(int n)
{
	rfs_openmp_fork(model, by(0, 1), F, DATA);
	for (int i = 0; i < n; i++)
		cr_assert(rfs_openmp_begin(model, by(i, 0), i ? 0 : -1, F, DATA));
}

static void leave_team(int n)
{
	for (int i = 0; i < n; i++)
		rfs_openmp_end(model, by(i, 0));
	rfs_openmp_join(model, by(0, 0));
}

Test(openmp, fork_and_join, .init = begin, .fini = end)
{
	team(3);
	cr_expect(knows_of(2, 1), "what the master did before the region");
	by(1, 2);
	by(2, 4);
	cr_expect_not(knows_of(1, 4));
	cr_expect_eq(rfs_openmp_region(model, 1), F);
	leave_team(3);
	cr_expect(knows_of(0, 2) && knows_of(0, 4));
	cr_expect_not(knows_of(1, 4), "a join tells the master only");
	cr_expect_eq(rfs_openmp_region(model, 1), 0);
}

Test(openmp, unknown_region, .init = begin, .fini = end)
{
	cr_expect_not(rfs_openmp_begin(model, by(1, 0), 0, F, DATA));
	rfs_openmp_arrive(model, by(1, 0));
	rfs_openmp_leave(model, by(1, 0));
	rfs_openmp_task_wait(model, by(1, 0), NULL, 0);
	rfs_openmp_join(model, by(1, 0));
}

Test(openmp, barriers_have_rounds, .init = begin, .fini = end)
{
	team(2);
	rfs_openmp_arrive(model, by(0, 2));
	rfs_openmp_arrive(model, by(1, 4));
	rfs_openmp_leave(model, by(0, 0));
	cr_expect(knows_of(0, 4));
	rfs_openmp_arrive(model, by(0, 8));
	rfs_openmp_leave(model, by(1, 0));
	cr_expect(knows_of(1, 2));
	cr_expect_not(knows_of(1, 8), "that is of the next round");
	leave_team(2);
}

Test(openmp, nested_teams_with_equal_functions, .init = begin, .fini = end)
{
	team(2);
	rfs_openmp_fork(model, by(0, 2), T, 0);
	rfs_openmp_fork(model, by(1, 4), T, 0);
	cr_assert(rfs_openmp_begin(model, by(2, 0), 0, T, 0));
	cr_assert(rfs_openmp_begin(model, by(3, 0), 1, T, 0));
	cr_expect(knows_of(2, 2) && !knows_of(2, 4));
	cr_expect(knows_of(3, 4) && !knows_of(3, 2));
	rfs_openmp_end(model, by(2, 8));
	rfs_openmp_end(model, by(3, 16));
	rfs_openmp_join(model, by(0, 0));
	rfs_openmp_join(model, by(1, 0));
	cr_expect(knows_of(0, 8) && !knows_of(0, 16));
	cr_expect(knows_of(1, 16) && !knows_of(1, 8));
	cr_expect_eq(rfs_openmp_region(model, 0), F);
	leave_team(2);
}

Test(openmp, ordered_regions_of_one_loop, .init = begin, .fini = end)
{
	team(2);
	rfs_openmp_share(model, by(0, 0));
	rfs_openmp_share(model, by(1, 0));
	rfs_openmp_ordered_begin(model, by(0, 0));
	rfs_openmp_ordered_end(model, by(0, 2));
	rfs_openmp_ordered_begin(model, by(1, 0));
	cr_expect(knows_of(1, 2));
	rfs_openmp_post(model, by(0, 4), 7);
	cr_expect(rfs_openmp_posted(model, 1, 7));
	cr_expect_not(rfs_openmp_posted(model, 1, 8));
	rfs_openmp_wait(model, by(1, 0), 8);
	cr_expect_not(knows_of(1, 4), "another iteration");
	rfs_openmp_wait(model, by(1, 0), 7);
	cr_expect(knows_of(1, 4));
	leave_team(2);
}

static void create(int thread, unsigned mark, uint64_t allocation, const struct rfs_openmp_depend *depends, size_t n)
{
	const struct rfs_openmp_task task = {.function = T, .first = allocation, .depends = depends, .n_depends = n};

	rfs_openmp_create(model, by(thread, mark), &task);
	rfs_openmp_created(model, by(thread, 0), allocation + 1);
}

static void run(int thread, unsigned mark, uint64_t allocation)
{
	rfs_openmp_task_begin(model, by(thread, 0), T, 0, allocation);
	rfs_openmp_task_end(model, by(thread, mark));
}

Test(openmp, tasks_and_taskwait, .init = begin, .fini = end)
{
	team(3);
	create(0, 2, 10, NULL, 0);
	create(0, 4, 11, NULL, 0);
	rfs_openmp_task_begin(model, by(1, 0), T, 0, 10);
	cr_expect(knows_of(1, 2));
	cr_expect_not(knows_of(1, 4), "the second task was created later");
	rfs_openmp_task_end(model, by(1, 8));
	run(2, 16, 11);
	cr_expect_not(knows_of(0, 8));
	rfs_openmp_task_wait(model, by(0, 0), NULL, 0);
	cr_expect(knows_of(0, 8) && knows_of(0, 16));
	leave_team(3);
}

Test(openmp, a_barrier_waits_for_tasks, .init = begin, .fini = end)
{
	team(2);
	create(0, 0, 10, NULL, 0);
	rfs_openmp_arrive(model, by(0, 0));
	rfs_openmp_arrive(model, by(1, 0));
	run(1, 2, 10);
	rfs_openmp_leave(model, by(0, 0));
	cr_expect(knows_of(0, 2));
	leave_team(2);
}

Test(openmp, a_group_waits_for_descendants, .init = begin, .fini = end)
{
	team(2);
	rfs_openmp_group_begin(model, by(0, 0));
	create(0, 0, 10, NULL, 0);
	rfs_openmp_task_begin(model, by(1, 0), T, 0, 10);
	rfs_openmp_create(model, by(1, 0), &(struct rfs_openmp_task){.function = T, .first = 20});
	rfs_openmp_created(model, by(1, 0), 21);
	rfs_openmp_task_end(model, by(1, 0));
	rfs_openmp_task_begin(model, by(1, 0), T, 1, 20);
	rfs_openmp_task_end(model, by(1, 2));
	rfs_openmp_task_wait(model, by(0, 0), NULL, 0);
	cr_expect_not(knows_of(0, 2), "taskwait does not wait for grandchildren");
	rfs_openmp_group_end(model, by(0, 0));
	cr_expect(knows_of(0, 2));
	leave_team(2);
}

Test(openmp, depend_clauses, .init = begin, .fini = end)
{
	const struct rfs_openmp_depend in = {X, false}, out = {X, true}, other = {X + 8, true};

	team(3);
	create(0, 0, 10, &out, 1);
	create(0, 0, 11, &in, 1);
	create(0, 0, 12, &in, 1);
	create(0, 0, 13, &other, 1);
	create(0, 0, 14, &out, 1);
	run(1, 2, 10);
	rfs_openmp_task_begin(model, by(2, 0), T, 0, 13);
	cr_expect_not(knows_of(2, 2), "another address");
	rfs_openmp_task_end(model, by(2, 0));
	rfs_openmp_task_begin(model, by(2, 0), T, 0, 11);
	cr_expect(knows_of(2, 2));
	rfs_openmp_task_end(model, by(2, 4));
	rfs_openmp_task_begin(model, by(1, 0), T, 0, 12);
	cr_expect_not(knows_of(1, 4), "two readers");
	rfs_openmp_task_end(model, by(1, 8));
	rfs_openmp_task_begin(model, by(0, 0), T, 0, 14);
	cr_expect(knows_of(0, 4) && knows_of(0, 8));
	rfs_openmp_task_end(model, by(0, 0));
	leave_team(3);
}

Test(openmp, a_task_executed_at_once, .init = begin, .fini = end)
{
	const struct rfs_openmp_depend out = {X, true};
	const struct rfs_openmp_task task = {.function = T, .first = 11, .depends = &out, .n_depends = 1};

	team(2);
	create(0, 0, 10, &out, 1);
	run(1, 2, 10);
	rfs_openmp_create(model, by(0, 0), &task);
	rfs_openmp_task_begin(model, by(0, 0), T, -1, 0);
	cr_expect(knows_of(0, 2), "it waits for its dependences");
	rfs_openmp_task_end(model, by(0, 0));
	rfs_openmp_created(model, by(0, 0), 11);
	leave_team(2);
}

static void teams_with_tasks(void)
{
	begin();
	for (int i = 0; i < 3; i++) {
		team(2);
		create(0, 0, 10, NULL, 0);
		run(1, 2, 10);
		leave_team(2);
	}
	end();
}

/* A program may have millions of parallel regions. */
Test(openmp, teams_are_freed)
{
	cr_expect_lt(heap_growth(teams_with_tasks), 24);
}
