/* list.h - prints what a library has: its types, and the functions that make, use and destroy their objects. */
#ifndef RFS_GENERATE_LIST_H
#define RFS_GENERATE_LIST_H

#include <stdio.h>

struct rfs_library;
struct rfs_shim;

void rfs_library_list(const struct rfs_library *library, const struct rfs_shim *shim, FILE *out);

#endif
