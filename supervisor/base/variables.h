/* variables.h - lists of environment variables: strings NAME=VALUE, which end with NULL. */
#ifndef RFS_VARIABLES_H
#define RFS_VARIABLES_H

#include <stdbool.h>

/* Whether the text is NAME=VALUE. The value may be empty. */
bool rfs_variable_is_valid(const char *text);

/*
 * A copy of the environment in which these variables are set. Others keep their order, and these come last. If `set`
 * has a name twice, the last one counts. Free with rfs_variables_free().
 */
char **rfs_variables_set(char *const *environment, char *const *set);
void rfs_variables_free(char **environment); /* or NULL */

#endif
