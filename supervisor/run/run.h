#ifndef RFS_RUN_H
#define RFS_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run;
struct rfs_run_spec;
struct rfs_run_result;

void rfs_run_loop(struct rfs_run *run);

/*
 * Runs it. 0 and *out filled (also where the target failed), or -errno and a line in why: the program could not be
 * started (what to do is said). Must be called in a process of its own with no other child.
 */
int rfs_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
