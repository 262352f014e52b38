/* cxx_calls.h - arguments and calls as C++ text. */
#ifndef RFS_CXX_CALLS_H
#define RFS_CXX_CALLS_H

#include <stdio.h>

struct rfs_library_function;
struct rfs_sequence_call;

/* What a program needs before calls with callbacks. */
void rfs_cxx_prologue_write(FILE *out);
/* Writes a call, without what its result is assigned to, with its semicolon. */
void rfs_cxx_call_write(const struct rfs_library_function *function, const struct rfs_sequence_call *call, FILE *out);

#endif
