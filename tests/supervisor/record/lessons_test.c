/* lessons_test.c - what runs learn for later runs. */
#include "supervisor/record/lessons.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "supervisor/base/siteset.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

TestSuite(lessons, .timeout = 20);

Test(lessons, only_what_is_new_is_learnt)
{
	static char module[] = "prog";
	struct rfs_place known = {module, 1}, other = {module, 2}, nowhere = {NULL, 3};
	const struct {
		struct rfs_run_result result;
		bool is_new;
		size_t n;
		bool traps;
	} steps[] = {
		{{.restart = RFS_RESTART_SPIN_READ}, false, 0, false},
		{{.restart = RFS_RESTART_SPIN_READ, .spin = &nowhere, .n_spin = 1}, false, 0, false},
		{{.restart = RFS_RESTART_SPIN_READ, .spin = &known, .n_spin = 1}, true, 1, false},
		{{.restart = RFS_RESTART_SPIN_READ, .spin = &known, .n_spin = 1}, false, 1, false},
		{{.restart = RFS_RESTART_TRAP_RDTSC}, true, 1, true},
		{{.restart = RFS_RESTART_TRAP_RDTSC}, false, 1, true},
		{{.restart = RFS_RESTART_SPIN_READ, .spin = &other, .n_spin = 1}, true, 2, true},
	};
	struct rfs_lessons lessons = {0};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		cr_expect_eq(rfs_lessons_learn(&lessons, &steps[i].result), steps[i].is_new, "step %zu", i);
		cr_expect_eq(lessons.spin.n, steps[i].n, "step %zu", i);
		cr_expect_eq(lessons.traps_rdtsc, steps[i].traps, "step %zu", i);
	}
	rfs_lessons_release(&lessons);
}

Test(lessons, name_a_process)
{
	char *site = rfs_lesson_about_process("2.1");
	struct rfs_lessons lessons = {0};
	struct rfs_run_spec spec = {.process.fd_in = 0};

	rfs_site_set_add(&lessons.spin, "prog", 7);
	rfs_lessons_give(&lessons, &spec.lessons);
	cr_expect_null(rfs_lesson_of_process(&spec.lessons));
	rfs_site_set_add(&lessons.spin, site, 0);
	rfs_lessons_give(&lessons, &spec.lessons);
	cr_expect_str_eq(rfs_lesson_of_process(&spec.lessons), "2.1");
	rfs_lessons_release(&lessons);
	free(site);
}

Test(lessons, name_processes_that_share_memory)
{
	char *site = rfs_lesson_about_family();
	struct rfs_lessons lessons = {0};
	struct rfs_run_spec spec = {.process.fd_in = 0};

	rfs_site_set_add(&lessons.spin, "prog", 7);
	rfs_lessons_give(&lessons, &spec.lessons);
	cr_expect_not(rfs_lesson_of_family(&spec.lessons));
	rfs_site_set_add(&lessons.spin, site, 0);
	rfs_lessons_give(&lessons, &spec.lessons);
	cr_expect(rfs_lesson_of_family(&spec.lessons));
	cr_expect_null(rfs_lesson_of_process(&spec.lessons), "no process takes the place of the program");
	rfs_lessons_release(&lessons);
	free(site);
}

Test(lessons, go_through_a_spec)
{
	struct rfs_lessons from = {.traps_rdtsc = true}, to = {0};
	struct rfs_run_spec spec = {.process.fd_in = 0};

	rfs_site_set_add(&from.spin, "prog", 7);
	rfs_lessons_give(&from, &spec.lessons);
	cr_expect(spec.lessons.traps_rdtsc && spec.lessons.n_spin == 1 && spec.lessons.spin[0].offset == 7);
	rfs_lessons_take(&to, &spec.lessons);
	cr_expect(rfs_lessons_equal(&from, &to));
	cr_expect_not(rfs_lessons_join(&to, &from), "nothing new");
	to.traps_rdtsc = false;
	cr_expect_not(rfs_lessons_equal(&from, &to));
	cr_expect(rfs_lessons_join(&to, &from), "the trap alone is new");
	rfs_lessons_release(&from);
	rfs_lessons_release(&to);
	cr_expect(to.spin.n == 0 && !to.traps_rdtsc);
}
