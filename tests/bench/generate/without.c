/*
 * without.c - rfsup --generate without parts of its search. table.sh and costs.sh measure what each part is worth.
 *
 *	bench-without PARTS [FILE] --generate LIB OPTION...
 *
 * PARTS: names of the table below, with commas between them; "nothing" leaves out nothing.
 *
 * FILE gets a line for each test, with tabs between: the type, what became of the test, its steps, schedules and
 * executions (struct rfs_session_test), and the CPU seconds since the last line. These are of this process and of the
 * processes that have ended, so what the driver needs for trials is missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/generate/generate.h"
#include "supervisor/run/run.h"
#include "supervisor/server/server.h"

static struct rfs_generate_runs runs = {.server = &rfs_server_ops, .run = rfs_run, .plain = rfs_baseline_run};

static const struct {
	const char *name;
	bool *left_out;
} parts[] = {
	{"executions", &runs.without.executions}, {"filter", &runs.without.filter},
	{"weights", &runs.without.weights},	  {"sweep", &runs.without.sweep},
	{"racefuzzer", &runs.without.racefuzzer}, {"control", &runs.without.control},
	{"quick", &runs.without.quick},		  {"nothing", NULL},
};

static FILE *lines;

static double cpu_seconds(void)
{
	double seconds = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage usage;

		getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
		seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	}
	return seconds;
}

static void write_line(const struct rfs_session_test *test)
{
	static double before;
	const double now = cpu_seconds();

	fprintf(lines, "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.6f\n", test->type, test->judgement,
		test->n_steps, test->n_schedules, test->n_executions, now - before);
	before = now;
}

static bool leave_out(const char *name)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(parts[i].name, name) == 0) {
			if (parts[i].left_out)
				*parts[i].left_out = true;
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	char *rest = NULL;
	int skip = 1;

	if (argc < 3) {
		fprintf(stderr, "usage: bench-without PARTS [FILE] --generate LIB OPTION...\n");
		return 2;
	}
	if (argv[2][0] != '-') {
		lines = fopen(argv[2], "we");
		if (!lines) {
			fprintf(stderr, "bench-without: %s: %s\n", argv[2], strerror(errno));
			return 2;
		}
		runs.tested = write_line;
		skip++;
	}
	for (char *name = strtok_r(argv[1], ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		if (!leave_out(name)) {
			fprintf(stderr, "bench-without: no part has the name '%s'\n", name);
			return 2;
		}
	return (int)rfs_generate(argc - skip, argv + skip, &runs);
}
