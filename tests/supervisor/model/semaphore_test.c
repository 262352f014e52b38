/* semaphore_test.c - from which post a wait on a semaphore receives. */
#include <criterion/criterion.h>

#include "supervisor/model/semaphore.h"
#include "supervisor/model/sync.h"
#include "tests/supervisor/model/model_memory.h"

TestSuite(semaphore, .timeout = 60);

static struct rfs_sync model;

static void end(void)
{
	rfs_sync_release(&model);
}

static void set_value(unsigned value)
{
	model_memory_put(BASE, &value, sizeof(value));
}

static void expect_post(uint64_t expect)
{
	uint64_t message = 99;

	cr_expect(rfs_semaphore_take(&model, &model_memory, BASE, &message));
	cr_expect_eq(message, expect, "%llu", (unsigned long long)message);
}

static void expect_nothing(const char *why)
{
	uint64_t message;

	cr_expect_not(rfs_semaphore_take(&model, &model_memory, BASE, &message), "%s", why);
}

Test(semaphore, first_in_first_out_after_the_initial_value, .fini = end)
{
	set_value(2);
	(void)rfs_semaphore_at(&model, &model_memory, BASE);
	cr_expect_eq(rfs_semaphore_post(&model, &model_memory, BASE), 0);
	cr_expect_eq(rfs_semaphore_post(&model, &model_memory, BASE), 1);
	set_value(4);
	expect_nothing("initial");
	expect_nothing("initial");
	expect_post(0);
	expect_post(1);
	expect_nothing("no token is known");
}

Test(semaphore, a_value_of_zero_gives_nothing, .fini = end)
{
	unsigned value = 9;

	set_value(0);
	rfs_semaphore_post(&model, &model_memory, BASE);
	expect_nothing("the value is still 0");
	cr_expect(rfs_semaphore_value(&model_memory, BASE, &value));
	cr_expect_eq(value, 0);
	cr_expect_not(rfs_semaphore_value(&model_memory, NOWHERE, &value));
}

Test(semaphore, init_and_destroy_forget_posts, .fini = end)
{
	set_value(0);
	rfs_semaphore_post(&model, &model_memory, BASE);
	rfs_semaphore_init(&model, &model_memory, BASE, 1);
	set_value(1);
	expect_nothing("initial");
	rfs_semaphore_post(&model, &model_memory, BASE);
	rfs_semaphore_destroy(&model, BASE);
	cr_expect_null(model.semaphores);
	rfs_semaphore_destroy(&model, BASE);
	expect_nothing("a new one, with an initial value of 1");
}
