/* incomplete.c - a list of texts, each once. */
#include "supervisor/campaign/executions/incomplete.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

void rfs_incomplete_give(struct rfs_incomplete *incomplete, const char *reason)
{
	for (size_t i = 0; i < incomplete->n; i++)
		if (strcmp(incomplete->reasons[i], reason) == 0)
			return;
	incomplete->reasons = xreallocarray(incomplete->reasons, incomplete->n + 1, sizeof(*incomplete->reasons));
	incomplete->reasons[incomplete->n++] = xstrdup(reason);
}

void rfs_incomplete_release(struct rfs_incomplete *incomplete)
{
	for (size_t i = 0; i < incomplete->n; i++)
		free(incomplete->reasons[i]);
	free(incomplete->reasons);
	*incomplete = (struct rfs_incomplete){0};
}
