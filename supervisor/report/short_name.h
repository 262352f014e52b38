/* short_name.h - shortens the names of functions for people. */
#ifndef RFS_SHORT_NAME_H
#define RFS_SHORT_NAME_H

/* A function's name as shown in a report for people. In a long C++ name, template arguments and parameter lists are
 * left out: "std::function<...>::operator()(...) const". Caller frees. */
char *rfs_short_name(const char *function);

#endif
