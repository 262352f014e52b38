/* The sampler atomicity on the model machine: programs whose remote section always comes too early, or too late. */
#include <criterion/criterion.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "tests/policy/model.h"

TestSuite(violation, .timeout = 120);

#define MUCH 60
#define X 64

/* Thread 1 reads X in two sections, thread 2 writes it. Thread `late` does much before. */
struct far {
	struct model_op ops[3][2 * MUCH + 32];
	struct model_body bodies[3];
	struct model_program program;
	rfs_site pair[2], held;
};

/* The program fails if X has changed between the sections. guard: an outer lock makes them one. */
static void make_far(struct far *far, int late, bool guard)
{
	static const struct model_op start[] = {{M_CREATE, .reg = 1, .value = 1},
						{M_CREATE, .reg = 2, .value = 2},
						{M_JOIN, .reg = 1},
						{M_JOIN, .reg = 2}};
	size_t n[3] = {4, 0, 0};

	*far = (struct far){0};
	memcpy(far->ops[0], start, sizeof(start));
	for (size_t i = 0; i < MUCH; i++) {
		far->ops[late][n[late]++] = (struct model_op){M_LOCK, .object = 5};
		far->ops[late][n[late]++] = (struct model_op){M_UNLOCK, .object = 5};
	}
	if (guard)
		far->ops[1][n[1]++] = (struct model_op){M_LOCK, .object = 1};
	far->ops[1][n[1]++] = (struct model_op){M_LOCK, .object = 0};
	far->pair[0] = MODEL_SITE(1, n[1]);
	far->ops[1][n[1]++] = (struct model_op){M_READ, .reg = 2, .object = X};
	far->ops[1][n[1]++] = (struct model_op){M_UNLOCK, .object = 0};
	far->ops[1][n[1]++] = (struct model_op){M_LOCK, .object = 0};
	far->ops[1][n[1]++] = (struct model_op){M_READ, .reg = 3, .object = X};
	far->ops[1][n[1]++] = (struct model_op){M_UNLOCK, .object = 0};
	if (guard)
		far->ops[1][n[1]++] = (struct model_op){M_UNLOCK, .object = 1};
	far->ops[1][n[1]] = (struct model_op){M_UNLESS, .reg = 2, .value = 0, .target = n[1] + 3};
	n[1]++;
	far->ops[1][n[1]] = (struct model_op){M_UNLESS, .reg = 3, .value = 1, .target = n[1] + 2};
	n[1]++;
	far->ops[1][n[1]++] = (struct model_op){M_ERROR, .value = 1};
	if (guard)
		far->ops[2][n[2]++] = (struct model_op){M_LOCK, .object = 1};
	far->ops[2][n[2]++] = (struct model_op){M_LOCK, .object = 0};
	far->pair[1] = MODEL_SITE(2, n[2]);
	far->ops[2][n[2]++] = (struct model_op){M_WRITE, .object = X, .value = 1};
	far->ops[2][n[2]++] = (struct model_op){M_UNLOCK, .object = 0};
	if (guard)
		far->ops[2][n[2]++] = (struct model_op){M_UNLOCK, .object = 1};
	for (size_t t = 0; t < 3; t++)
		far->bodies[t] = (struct model_body){far->ops[t], n[t]};
	far->program = (struct model_program){far->bodies, 3, 1};
}

static struct model_result run(const struct far *far, const char *policy, const char *options, uint64_t seed)
{
	struct model_config config = {.policy = rfs_policy_find(policy), .options = options, .seed = seed};
	struct model_result result;

	memcpy(config.pair, far->pair, sizeof(far->pair));
	config.held = far->held;
	model_run(&far->program, &config, &result);
	cr_assert_neq(result.end, MODEL_BAD_CHOICE, "%s", result.complaint);
	cr_assert(result.end == MODEL_DONE || result.end == MODEL_ERROR);
	return result;
}

static size_t count_errors(const struct far *far, const char *policy, const char *options)
{
	size_t errors = 0;

	for (uint64_t seed = 0; seed < 100; seed++) {
		struct model_result result = run(far, policy, options, seed);

		errors += result.end == MODEL_ERROR;
		model_release(&result);
	}
	return errors;
}

Test(violation, is_created_although_it_is_far)
{
	for (int late = 1; late <= 2; late++) {
		struct far far;

		make_far(&far, late, false);
		cr_expect_lt(count_errors(&far, "random", NULL), 5);
		cr_expect_eq(count_errors(&far, "atomicity", "remote=3"), 100);
		cr_expect_eq(count_errors(&far, "atomicity", "remote=3,early=1"), 100);
	}
}

Test(violation, is_not_created_if_a_lock_forbids_it)
{
	for (int late = 1; late <= 2; late++) {
		struct far far;

		make_far(&far, late, true);
		cr_expect_eq(count_errors(&far, "atomicity", "remote=3"), 0);
		cr_expect_eq(count_errors(&far, "atomicity", "early=1"), 0);
	}
}

/* With `serial`, the run is the same until a thread would be postponed, and the violation does not come. */
Test(violation, does_not_come_if_the_thread_runs_alone)
{
	struct far far;

	make_far(&far, 2, false);
	cr_expect_eq(count_errors(&far, "atomicity", "remote=3,continue=1"), 100);
	cr_expect_eq(count_errors(&far, "atomicity", "remote=3,continue=1,serial=1"), 0);
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct model_result held = run(&far, "atomicity", "early=1", seed),
				    serial = run(&far, "atomicity", "early=1,serial=1", seed);

		cr_expect_eq(held.stat_violations, 1);
		cr_expect_eq(serial.stat_violations, 1);
		cr_expect_eq(held.end, MODEL_ERROR);
		cr_expect_eq(serial.end, MODEL_DONE);
		model_release(&held);
		model_release(&serial);
	}
}

/* ---- two variables, many threads ---- */

#define WRITERS 12
#define Y 128

/* Threads 1 to WRITERS write X in one section and Y in the next. The last thread reads both, and fails if only X was
 * written. It is created last. */
struct stages {
	struct model_op start[WRITERS + 1], writes[6], reads[9];
	struct model_body bodies[3];
	struct far far;
};

static void make_stages(struct stages *s)
{
	static const struct model_op writes[] = {
		{M_LOCK, .object = 0}, {M_WRITE, .object = X, .value = 1}, {M_UNLOCK, .object = 0},
		{M_LOCK, .object = 1}, {M_WRITE, .object = Y, .value = 1}, {M_UNLOCK, .object = 1}};
	static const struct model_op reads[] = {{M_LOCK, .object = 0},
						{M_READ, .reg = 1, .object = X, .site = MODEL_SITE(2, 1)},
						{M_UNLOCK, .object = 0},
						{M_LOCK, .object = 1},
						{M_READ, .reg = 2, .object = Y, .site = MODEL_SITE(2, 1)},
						{M_UNLOCK, .object = 1},
						{M_UNLESS, .reg = 1, .value = 1, .target = 9},
						{M_IF, .reg = 2, .value = 1, .target = 9},
						{M_ERROR, .value = 1}};

	*s = (struct stages){0};
	for (size_t i = 0; i <= WRITERS; i++)
		s->start[i] = (struct model_op){M_CREATE, .reg = 0, .value = i < WRITERS ? 1 : 2};
	memcpy(s->writes, writes, sizeof(writes));
	memcpy(s->reads, reads, sizeof(reads));
	s->bodies[0] = (struct model_body)MODEL_BODY(s->start);
	s->bodies[1] = (struct model_body)MODEL_BODY(s->writes);
	s->bodies[2] = (struct model_body)MODEL_BODY(s->reads);
	s->far.program = (struct model_program){s->bodies, 3, 1};
	s->far.pair[0] = MODEL_SITE(1, 1);
	s->far.pair[1] = MODEL_SITE(2, 1);
}

/* One postponed thread is not enough, because the others write Y before the last thread reads it. */
Test(violation, is_not_ended_by_threads_that_do_the_same)
{
	struct stages s;

	make_stages(&s);
	cr_expect_lt(count_errors(&s.far, "random", NULL), 30);
	cr_expect_lt(count_errors(&s.far, "atomicity", "both=1,early=1,remote=14"), 30);
	cr_expect_eq(count_errors(&s.far, "atomicity", "both=1,early=1,remote=14,all=1"), 100);
	cr_expect_eq(count_errors(&s.far, "atomicity", "both=1,early=1,remote=14,all=1,serial=1"), 0);
}

Test(violation, the_same_seed_makes_the_same_run)
{
	struct far far;

	make_far(&far, 1, false);
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct model_result a = run(&far, "atomicity", "skips=1,remote=3", seed),
				    b = run(&far, "atomicity", "skips=1,remote=3", seed);

		cr_assert_eq(a.n_steps, b.n_steps);
		cr_expect_eq(memcmp(a.steps, b.steps, a.n_steps * sizeof(*a.steps)), 0);
		model_release(&a);
		model_release(&b);
	}
}

/* ---- orders ---- */

/* Thread 1 uses X in a section, thread 2 writes it in a section much later. The use fails if it comes after that.
 * waits: thread 2 waits for thread 1. */
static void make_late(struct far *far, bool waits)
{
	static const struct model_op start[] = {{M_CREATE, .reg = 1, .value = 1},
						{M_CREATE, .reg = 2, .value = 2},
						{M_JOIN, .reg = 1},
						{M_JOIN, .reg = 2}};
	size_t n[3] = {4, 0, 0};

	*far = (struct far){0};
	memcpy(far->ops[0], start, sizeof(start));
	far->held = MODEL_SITE(1, n[1]);
	far->ops[1][n[1]++] = (struct model_op){M_LOCK, .object = 0};
	far->pair[0] = MODEL_SITE(1, n[1]);
	far->ops[1][n[1]++] = (struct model_op){M_READ, .reg = 2, .object = X};
	far->ops[1][n[1]] = (struct model_op){M_UNLESS, .reg = 2, .value = 1, .target = n[1] + 2};
	n[1]++;
	far->ops[1][n[1]++] = (struct model_op){M_ERROR, .value = 1};
	far->ops[1][n[1]++] = (struct model_op){M_UNLOCK, .object = 0};
	if (waits) {
		far->ops[1][n[1]++] = (struct model_op){M_SEM_POST, .object = 6};
		far->ops[2][n[2]++] = (struct model_op){M_SEM_WAIT, .object = 6};
	}
	for (size_t i = 0; i < MUCH; i++) {
		far->ops[2][n[2]++] = (struct model_op){M_LOCK, .object = 5};
		far->ops[2][n[2]++] = (struct model_op){M_UNLOCK, .object = 5};
	}
	far->ops[2][n[2]++] = (struct model_op){M_LOCK, .object = 0};
	far->pair[1] = MODEL_SITE(2, n[2]);
	far->ops[2][n[2]++] = (struct model_op){M_WRITE, .object = X, .value = 1};
	far->ops[2][n[2]++] = (struct model_op){M_UNLOCK, .object = 0};
	for (size_t t = 0; t < 3; t++)
		far->bodies[t] = (struct model_body){far->ops[t], n[t]};
	far->program = (struct model_program){far->bodies, 3, 1};
}

Test(violation, an_order_is_reversed)
{
	struct far far;

	make_late(&far, false);
	cr_expect_lt(count_errors(&far, "random", NULL), 5);
	cr_expect_eq(count_errors(&far, "order", "remote=3"), 100);
	cr_expect_eq(count_errors(&far, "order", NULL), 100);
	cr_expect_eq(count_errors(&far, "order", "remote=3,continue=1"), 100);
	cr_expect_eq(count_errors(&far, "order", "remote=3,continue=1,serial=1"), 0);
	make_late(&far, true);
	cr_expect_eq(count_errors(&far, "order", "remote=3"), 0);
	cr_expect_eq(count_errors(&far, "order", NULL), 0);
}

/* The same, but the use fails only if thread 2 has written X once more, some operations later. */
static void make_later(struct far *far)
{
	size_t n;

	make_late(far, false);
	far->ops[1][2].value = 2; /* what the use must have read to fail */
	n = far->bodies[2].n;
	for (size_t i = 0; i < 6; i++) {
		far->ops[2][n++] = (struct model_op){M_LOCK, .object = 5};
		far->ops[2][n++] = (struct model_op){M_UNLOCK, .object = 5};
	}
	far->ops[2][n++] = (struct model_op){M_WRITE, .object = X, .value = 2};
	far->bodies[2].n = n;
}

Test(violation, a_thread_stays_until_the_others_are_done)
{
	struct far far;

	make_later(&far);
	cr_expect_eq(count_errors(&far, "order", "remote=3,late=1"), 100);
	cr_expect_lt(count_errors(&far, "order", "remote=3"), 80);
	cr_expect_eq(count_errors(&far, "order", "remote=3,late=1,continue=1,serial=1"), 0);
}
