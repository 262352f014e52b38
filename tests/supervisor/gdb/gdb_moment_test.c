/* gdb_moment_test.c - moments of a run, and whether the way to one ends there. */
#include "supervisor/gdb/gdb_moment.h"

#include <criterion/criterion.h>

TestSuite(gdb_moment, .timeout = 20);

static const struct rfs_gdb_leg at_a = {.mark = RFS_MARK_BREAK, .count = 1, .address = 0xa},
				at_b = {.mark = RFS_MARK_BREAK, .count = 1, .address = 0xb},
				step_1 = {.mark = RFS_MARK_STEP, .count = 1, .thread = 1, .address = 0xa},
				step_2 = {.mark = RFS_MARK_STEP, .count = 1, .thread = 2};

Test(gdb_moment, equal_marks_are_one_leg)
{
	struct rfs_gdb_moment moment = {0}, copy = {0};

	cr_expect(rfs_gdb_moment_is_start(&moment));
	rfs_gdb_moment_after(&moment, 7);
	rfs_gdb_moment_add(&moment, &at_a);
	rfs_gdb_moment_add(&moment, &at_a);
	rfs_gdb_moment_add(&moment, &at_b);
	rfs_gdb_moment_add(&moment, &step_1);
	rfs_gdb_moment_add(&moment, &step_2);
	cr_assert(moment.choices == 7 && moment.n == 4);
	cr_expect(moment.legs[0].count == 2 && moment.legs[0].address == 0xa);
	rfs_gdb_moment_set(&copy, &moment);
	rfs_gdb_moment_shorten(&moment);
	cr_expect(moment.n == 3 && copy.n == 4 && copy.legs[3].thread == 2);
	for (int i = 0; i < 4; i++)
		rfs_gdb_moment_shorten(&moment);
	/* before the first mark after choice 7 is before that choice, the 7th from 0 is choice 6 */
	cr_assert(moment.n == 1 && moment.choices == 6 && moment.legs[0].mark == RFS_MARK_CHOICE);
	rfs_gdb_moment_after(&moment, 0);
	rfs_gdb_moment_shorten(&moment);
	cr_expect(rfs_gdb_moment_is_start(&moment));
	rfs_gdb_moment_release(&moment);
	rfs_gdb_moment_release(&copy);
}

Test(gdb_moment, the_way_counts_marks_since_the_last_choice)
{
	struct rfs_gdb_course course = {0};

	rfs_gdb_moment_after(&course.goal, 2);
	rfs_gdb_moment_add(&course.goal, &at_a);
	rfs_gdb_moment_add(&course.goal, &at_a);
	rfs_gdb_moment_add(&course.goal, &step_1);
	cr_expect_not(rfs_gdb_course_choices(&course, 1));
	cr_expect_not(rfs_gdb_course_pass(&course, &at_a));
	cr_expect_not(rfs_gdb_course_choices(&course, 2));
	cr_expect_null(rfs_gdb_course_steps(&course));
	cr_expect_not(rfs_gdb_course_pass(&course, &at_a));
	cr_expect_not(rfs_gdb_course_pass(&course, &at_b));
	cr_expect_not(rfs_gdb_course_pass(&course, &step_1));
	cr_expect_not(rfs_gdb_course_pass(&course, &at_a));
	cr_assert_not_null(rfs_gdb_course_steps(&course));
	cr_expect_eq(rfs_gdb_course_steps(&course)->thread, 1);
	cr_expect_not(rfs_gdb_course_pass(&course, &step_2));
	cr_expect(rfs_gdb_course_pass(&course, &step_1));
	cr_expect_null(rfs_gdb_course_steps(&course));
	cr_expect_not(rfs_gdb_course_pass(&course, &step_1));
	rfs_gdb_moment_release(&course.goal);

	/* the start of history has no legs */
	cr_expect(rfs_gdb_course_choices(&course, 0));
	cr_expect_not(rfs_gdb_course_choices(&course, 1));
	cr_expect_not(rfs_gdb_course_pass(&course, &at_a));
}
