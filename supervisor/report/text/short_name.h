/* short_name.h - shortens the names of functions in reports for people. */
#ifndef RFS_SHORT_NAME_H
#define RFS_SHORT_NAME_H

/*
 * The name of a function for a report. A long C++ name loses its template arguments and parameters:
 * "std::function<...>::operator()(...) const". The function that a compiler makes of an OpenMP construct is named by
 * it: "main, OpenMP region 1". Caller frees.
 */
char *rfs_short_name(const char *function);

struct rfs_source_place;

/* The short name of the function of a place; its member `near` or "?" if it has no name. Caller frees. */
char *rfs_short_place_name(const struct rfs_source_place *place);

#endif
