/* core_test.c - processes take the cores of a set in turn. */
#include "supervisor/base/core.h"

#include <criterion/criterion.h>

TestSuite(core, .timeout = 60);

Test(core, processes_take_cores_in_turn)
{
	static const struct {
		int first;
		unsigned number;
		int core;
	} rows[] = {{1, 0, 1}, {1, 1, 3}, {1, 2, 1}, {3, 1, 1}, {2, 0, 3}, {CPU_SETSIZE - 1, 0, 1}, {-1, 0, -1}};
	cpu_set_t cores;

	CPU_ZERO(&cores);
	cr_expect_eq(rfs_core_of(&cores, 1, 0), -1);
	CPU_SET(1, &cores);
	CPU_SET(3, &cores);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(rfs_core_of(&cores, rows[i].first, rows[i].number), rows[i].core, "row %zu", i);
}
