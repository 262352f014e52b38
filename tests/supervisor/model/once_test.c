/* once_test.c - the words of pthread_once and of the guards of C++ static locals. */
#include <criterion/criterion.h>

#include "supervisor/model/once.h"
#include "tests/supervisor/model/model_memory.h"

TestSuite(once, .timeout = 60);

Test(once, words)
{
	static const struct {
		unsigned word;
		enum rfs_once_state once, guard;
	} cases[] = {
		{0, RFS_ONCE_OPEN, RFS_ONCE_OPEN},
		{1, RFS_ONCE_IN_PROGRESS, RFS_ONCE_DONE},
		{2, RFS_ONCE_DONE, RFS_ONCE_OPEN},
		{4 | 1, RFS_ONCE_IN_PROGRESS, RFS_ONCE_DONE}, /* pthread_once counts forks in these bits */
		{4, RFS_ONCE_OPEN, RFS_ONCE_OPEN},
		{0x100, RFS_ONCE_OPEN, RFS_ONCE_IN_PROGRESS},
		{0x10100, RFS_ONCE_OPEN, RFS_ONCE_IN_PROGRESS}, /* another thread waits for the guard */
		{0x101, RFS_ONCE_IN_PROGRESS, RFS_ONCE_DONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		model_memory_put(BASE, &cases[i].word, sizeof(cases[i].word));
		cr_expect_eq(rfs_once_look(&model_memory, BASE), cases[i].once, "once %#x", cases[i].word);
		cr_expect_eq(rfs_guard_look(&model_memory, BASE), cases[i].guard, "guard %#x", cases[i].word);
	}
	cr_expect_eq(rfs_once_look(&model_memory, NOWHERE), RFS_ONCE_OPEN);
	cr_expect_eq(rfs_guard_look(&model_memory, NOWHERE), RFS_ONCE_OPEN);
}
