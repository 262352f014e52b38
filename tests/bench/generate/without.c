/*
 * without.c - rfsup --generate without parts of its search. table.sh and costs.sh measure what each part is worth.
 *
 *	bench-without PARTS --generate LIB OPTION...
 *
 * PARTS: names of the table below, with commas between them; "nothing" leaves out nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/campaign/baseline.h"
#include "supervisor/generate/generate.h"
#include "supervisor/run/run.h"
#include "supervisor/server/server.h"

static struct rfs_generate_runs runs = {.server = &rfs_server_ops, .run = rfs_run, .plain = rfs_baseline_run};

static const struct {
	const char *name;
	bool *left_out;
} parts[] = {
	{"executions", &runs.without.executions},
	{"filter", &runs.without.filter},
	{"weights", &runs.without.weights},
	{"sweep", &runs.without.sweep},
	{"racefuzzer", &runs.without.racefuzzer},
	{"control", &runs.without.control},
	{"nothing", NULL},
};

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

	if (argc < 3) {
		fprintf(stderr, "usage: bench-without PARTS --generate LIB OPTION...\n");
		return 2;
	}
	for (char *name = strtok_r(argv[1], ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		if (!leave_out(name)) {
			fprintf(stderr, "bench-without: no part has the name '%s'\n", name);
			return 2;
		}
	return (int)rfs_generate(argc - 1, argv + 1, &runs);
}
