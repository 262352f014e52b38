/* short_name.h - names of functions for people. */
#ifndef RFS_SHORT_NAME_H
#define RFS_SHORT_NAME_H

/*
 * A function's name as a report for people shows it: where it is long, what a C++ name has in template arguments and
 * in parameter lists is left out, "std::function<...>::operator()(...) const". Caller frees.
 */
char *rfs_short_name(const char *function);

#endif
