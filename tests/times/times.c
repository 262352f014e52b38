/*
 * times.c - writes how long each test took, for the list of the slowest tests at the end of `make check`. Linked into
 * every test program.
 */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <stdio.h>
#include <stdlib.h>

/* Appends "SECONDS SUITE/TEST" to the file RFSUP_TEST_TIMES. All values of a parameterized test have one name. */
ReportHook(POST_TEST)(struct criterion_test_stats *stats)
{
	const char *path = getenv("RFSUP_TEST_TIMES");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%.2f %s/%s\n", (double)stats->elapsed_time, stats->test->category, stats->test->name);
	fclose(file);
}
