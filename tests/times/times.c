/*
 * times.c - writes how long each test took and how much processor time it used, for the lists of the slowest tests at
 * the end of `make check`. Linked into every test program.
 */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Appends a line to the file RFSUP_TEST_TIMES. All values of a parameterized test have one name. */
static void append(const char *what, double seconds, const char *suite, const char *name)
{
	const char *path = getenv("RFSUP_TEST_TIMES");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%s %.2f %s/%s\n", what, seconds, suite, name);
	fclose(file);
}

/* Criterion's own process knows how long a test took. */
ReportHook(POST_TEST)(struct criterion_test_stats *stats)
{
	append("wall", (double)stats->elapsed_time, stats->test->category, stats->test->name);
}

static double seconds_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Criterion's function, and ours, which the linker takes in its place for the end of each test. */
void __real_criterion_internal_test_teardown(void);
void __wrap_criterion_internal_test_teardown(void);

/* The process of a test knows what it and the children that it waited for used. */
void __wrap_criterion_internal_test_teardown(void)
{
	__real_criterion_internal_test_teardown();
	append("cpu", seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN), criterion_current_test->category,
	       criterion_current_test->name);
}
