/* parameters.h - the names of a function's parameters, because debug information of a declaration does not have them.
 */
#ifndef RFS_PARAMETERS_H
#define RFS_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_declaration;

/*
 * Reads the names from the header at the place of the declaration. names: n strings, NULL for a parameter without a
 * name; the caller frees each. Returns whether the declaration was found and has n parameters. Otherwise all names
 * are NULL.
 */
bool rfs_parameter_names(const struct rfs_declaration *declaration, char **names, size_t n);

#endif
