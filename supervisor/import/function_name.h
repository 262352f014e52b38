/*
 * function_name.h - compares the names of functions that different tools wrote. One writes parameters, templates and
 * the suffixes of compilers, and another one does not.
 */
#ifndef RFS_FUNCTION_NAME_H
#define RFS_FUNCTION_NAME_H

#include <stdbool.h>

/*
 * The demangled name with its namespaces and classes, but without parameters, template arguments, return type and
 * suffixes: "ns::list::push" of "void ns::list<int>::push<char>(int) [clone .isra.0]". Caller frees.
 */
char *rfs_function_bare_name(const char *name);
/* Whether two bare names may be of one function: they are equal, or one lacks the first namespaces or classes. */
bool rfs_function_name_same(const char *bare, const char *other);
/* The last component of a bare name. Points into it. */
const char *rfs_function_last_name(const char *bare);

#endif
