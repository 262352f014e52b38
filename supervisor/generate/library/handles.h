/*
 * handles.h - objects behind pointers to void. A typedef of void, such as CURL, counts as a separate type. A pointer to
 * plain void is such an object if the hints say so: "handle NAME MAKER GLOB...". Also calls of functions with a
 * variable number of arguments.
 */
#ifndef RFS_LIBRARY_HANDLES_H
#define RFS_LIBRARY_HANDLES_H

struct rfs_c_type;
struct rfs_library;
struct rfs_library_hints;

/* The innermost typedef of void in the type; NULL: it is something else. */
const struct rfs_c_type *rfs_handle_of(const struct rfs_c_type *type);

/*
 * Changes the types of functions that get or return handles of the hints, and adds a function for each call that the
 * hints name. Call it before roles are given.
 */
void rfs_handles_add(const struct rfs_library_hints *hints, struct rfs_library *library);
void rfs_handles_release(struct rfs_library *library);

#endif
