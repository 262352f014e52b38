/* gdb_monitor_test.c - what gdb's `monitor` says if there is little to say. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/operations/trace.h"

TestSuite(gdb_monitor, .timeout = 20);

Test(gdb_monitor, of_a_record_without_a_trace)
{
	static const struct {
		const char *command, *says;
	} cases[] = {
		{"schedule", "the record has no trace of its operations\n"},
		{"schedule 5", "the record has no trace of its operations\n"},
		{"schedule 0", "'0' is not an integer between 1 and 100000\n"},
		{"schedule x", "'x' is not an integer between 1 and 100000\n"},
		{"sched", "unknown command 'sched'; 'monitor help' lists the commands\n"},
	};
	const struct rfs_run_spec spec = {.cancel_fd = -1};
	struct rfs_run_result result = {0};
	struct rfs_run run = {.spec = &spec, .result = &result};
	char why[256];

	cr_assert_eq(rfs_trace_open(&run, why, sizeof(why)), 0, "%s", why);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		rfs_gdb_monitor(&run, cases[i].command, out);
		fclose(out);
		cr_expect_str_eq(text, cases[i].says, "'%s': %s", cases[i].command, text);
		free(text);
	}
	rfs_trace_close(&run);
}
