/* cxx_text.h - types and methods as C++ text. */
#ifndef RFS_CXX_TEXT_H
#define RFS_CXX_TEXT_H

#include <stdbool.h>
#include <stdio.h>

struct rfs_c_type;
struct rfs_cxx_method;

/* references: whether a reference is written as one; otherwise it is written as a pointer. */
void rfs_cxx_type_write(const struct rfs_c_type *type, bool references, FILE *out);
/* "Foo::add(int)", for people. Caller frees. */
char *rfs_cxx_shown(const struct rfs_cxx_method *method, const struct rfs_c_type *function);

#endif
