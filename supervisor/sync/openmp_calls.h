/* openmp_calls.h - the OpenMP layer: breakpoints at the functions of libgomp, and what each of its calls means. */
#ifndef RFS_OPENMP_CALLS_H
#define RFS_OPENMP_CALLS_H

#include <stddef.h>

#include "policy/operations.h"
struct rfs_call;
struct rfs_module;
struct rfs_run;
struct rfs_thread;

/* The rows of libgomp's functions. */
size_t rfs_openmp_calls(const struct rfs_call **out);
/* libgomp or the C library was mapped: once both are there, libgomp is made not to spin. */
void rfs_openmp_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *added);

#endif
