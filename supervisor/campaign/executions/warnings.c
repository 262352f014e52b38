/* warnings.c - prints the first few warnings. If there are more, warnings.txt has all. */
#include "supervisor/campaign/executions/warnings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"

/* How many warnings are printed. All of them are in warnings.txt. */
#define PRINTED 6

void rfs_warnings_give(struct rfs_warnings *warnings, const char *line)
{
	for (size_t i = 0; i < warnings->n; i++)
		if (strcmp(warnings->lines[i], line) == 0)
			return;
	warnings->lines = xreallocarray(warnings->lines, warnings->n + 1, sizeof(*warnings->lines));
	warnings->lines[warnings->n++] = xstrdup(line);
	if (warnings->n <= PRINTED)
		rfs_warn("%s", line);
	else
		rfs_note("%s", line);
}

void rfs_warnings_save(const struct rfs_warnings *warnings, const struct rfs_output *output)
{
	char *text, why[1024];
	size_t size;
	FILE *out;

	if (warnings->n <= PRINTED)
		return;
	out = xopen_memstream(&text, &size);
	for (size_t i = 0; i < warnings->n; i++)
		fprintf(out, "%s\n", warnings->lines[i]);
	fclose(out);
	if (rfs_output_write(output, "warnings.txt", text, size, why, sizeof(why)))
		rfs_warn("%s", why);
	else
		rfs_warn("%zu more warnings are in %s/warnings.txt", warnings->n - PRINTED, output->path);
	free(text);
}

void rfs_warnings_release(struct rfs_warnings *warnings)
{
	for (size_t i = 0; i < warnings->n; i++)
		free(warnings->lines[i]);
	free(warnings->lines);
	*warnings = (struct rfs_warnings){0};
}
