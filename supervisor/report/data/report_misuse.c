/* report_misuse.c - adds rows and frees them. campaign/executions/misuses.c fills them. */
#include "supervisor/report/data/report_misuse.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"

struct rfs_report_misuse *rfs_report_misuse_add(struct rfs_report_misuses *misuses)
{
	misuses->list = xreallocarray(misuses->list, misuses->n + 1, sizeof(*misuses->list));
	misuses->list[misuses->n] = (struct rfs_report_misuse){0};
	return &misuses->list[misuses->n++];
}

void rfs_report_misuses_release(struct rfs_report_misuses *misuses)
{
	for (size_t i = 0; i < misuses->n; i++) {
		free(misuses->list[i].what);
		rfs_source_stack_release(&misuses->list[i].stack);
		rfs_source_stack_release(&misuses->list[i].earlier);
	}
	free(misuses->list);
	*misuses = (struct rfs_report_misuses){0};
}
