/* cxx_text.h - types, arguments and calls as C++ text. */
#ifndef RFS_CXX_TEXT_H
#define RFS_CXX_TEXT_H

#include <stdio.h>

struct rfs_c_type;
struct rfs_cxx_method;
struct rfs_library_function;
struct rfs_sequence_call;

/* "Foo::add(int)", for people. Caller frees. */
char *rfs_cxx_shown(const struct rfs_cxx_method *method, const struct rfs_c_type *function);

/* What a program needs before calls with callbacks. */
void rfs_cxx_prologue_write(FILE *out);

/* Writes a call, without what its result is assigned to, with its semicolon. */
void rfs_cxx_call_write(const struct rfs_library_function *function, const struct rfs_sequence_call *call, FILE *out);

#endif
