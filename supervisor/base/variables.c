/* variables.c - copies a list. Variables that are set replace those of the same name. */
#include "supervisor/base/variables.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

bool rfs_variable_is_valid(const char *text)
{
	return text[0] != '=' && strchr(text, '=');
}

static size_t variables_count(char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

/* Whether a variable of the list has the same name. */
static bool variables_is_in(const char *variable, char *const *list)
{
	const size_t n = strcspn(variable, "=") + 1;

	for (; *list; list++)
		if (strncmp(variable, *list, n) == 0)
			return true;
	return false;
}

char **rfs_variables_set(char *const *environment, char *const *set)
{
	char **out = xcalloc(variables_count(environment) + variables_count(set) + 1, sizeof(*out));
	size_t n = 0;

	for (; *environment; environment++)
		if (!variables_is_in(*environment, set))
			out[n++] = xstrdup(*environment);
	for (; *set; set++)
		if (!variables_is_in(*set, set + 1))
			out[n++] = xstrdup(*set);
	return out;
}

void rfs_variables_free(char **environment)
{
	for (char **variable = environment; variable && *variable; variable++)
		free(*variable);
	free(environment);
}
