#include "supervisor/campaign/warnings.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"

void rfs_warnings_give(struct rfs_warnings *warnings, const char *line)
{
	for (size_t i = 0; i < warnings->n; i++)
		if (strcmp(warnings->lines[i], line) == 0)
			return;
	warnings->lines = xreallocarray(warnings->lines, warnings->n + 1, sizeof(*warnings->lines));
	warnings->lines[warnings->n++] = xstrdup(line);
	rfs_warn("%s", line);
}

void rfs_warnings_release(struct rfs_warnings *warnings)
{
	for (size_t i = 0; i < warnings->n; i++)
		free(warnings->lines[i]);
	free(warnings->lines);
	*warnings = (struct rfs_warnings){0};
}
