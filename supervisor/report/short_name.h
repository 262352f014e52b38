/* short_name.h - shortens the names of functions in reports for people. */
#ifndef RFS_SHORT_NAME_H
#define RFS_SHORT_NAME_H

/*
 * The name of a function for a report. A long C++ name loses its template arguments and parameters:
 * "std::function<...>::operator()(...) const". Caller frees.
 */
char *rfs_short_name(const char *function);

#endif
