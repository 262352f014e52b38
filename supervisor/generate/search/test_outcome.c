/* test_outcome.c - reads the file that the driver has written, and keeps each different outcome once. */
#include "supervisor/generate/search/test_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"

bool rfs_test_outcome_take(const char *path, struct rfs_test_outcome *out)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	*out = (struct rfs_test_outcome){0};
	if (!in)
		return false;
	while ((length = getline(&line, &room, in)) > 0 && line[length - 1] == '\n') {
		out->values = xreallocarray(out->values, out->n + 1, sizeof(*out->values));
		out->values[out->n++] = xstrndup(line, (size_t)length - 1);
	}
	free(line);
	fclose(in);
	unlink(path);
	return out->n > 0;
}

void rfs_test_outcome_release(struct rfs_test_outcome *outcome)
{
	for (size_t i = 0; i < outcome->n; i++)
		free(outcome->values[i]);
	free(outcome->values);
	*outcome = (struct rfs_test_outcome){0};
}

static bool test_outcome_is_same(const struct rfs_test_outcomes *outcomes, const struct rfs_test_outcome *a,
				 const struct rfs_test_outcome *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (!outcomes->unstable[i] && strcmp(a->values[i], b->values[i]) != 0)
			return false;
	return a->n == b->n;
}

bool rfs_test_outcomes_allow(const struct rfs_test_outcomes *outcomes, const struct rfs_test_outcome *outcome)
{
	for (size_t i = 0; i < outcomes->n; i++)
		if (test_outcome_is_same(outcomes, &outcomes->list[i], outcome))
			return true;
	return false;
}

void rfs_test_outcomes_add(struct rfs_test_outcomes *outcomes, struct rfs_test_outcome *outcome)
{
	if (!outcomes->unstable) {
		outcomes->n_values = outcome->n;
		outcomes->unstable = xcalloc(outcome->n + 1, sizeof(*outcomes->unstable));
	}
	/* reading it again may end a program */
	for (size_t i = 0; i < outcome->n && i < outcomes->n_values; i++)
		outcomes->unstable[i] |= strcmp(outcome->values[i], "unreadable") == 0;
	if (rfs_test_outcomes_allow(outcomes, outcome)) {
		rfs_test_outcome_release(outcome);
		return;
	}
	outcomes->list = xreallocarray(outcomes->list, outcomes->n + 1, sizeof(*outcomes->list));
	outcomes->list[outcomes->n++] = *outcome;
	*outcome = (struct rfs_test_outcome){0};
}

void rfs_test_outcomes_ignore(struct rfs_test_outcomes *outcomes, size_t n)
{
	for (size_t i = 0; i < n && i < outcomes->n_values; i++)
		outcomes->unstable[i] = true;
}

void rfs_test_outcomes_mark(struct rfs_test_outcomes *outcomes, const struct rfs_test_outcome *again)
{
	for (size_t i = 0; i < outcomes->n_values; i++)
		if (outcomes->n && (i >= again->n || strcmp(outcomes->list[0].values[i], again->values[i]) != 0))
			outcomes->unstable[i] = true;
}

void rfs_test_outcomes_release(struct rfs_test_outcomes *outcomes)
{
	for (size_t i = 0; i < outcomes->n; i++)
		rfs_test_outcome_release(&outcomes->list[i]);
	free(outcomes->list);
	free(outcomes->unstable);
	*outcomes = (struct rfs_test_outcomes){0};
}
