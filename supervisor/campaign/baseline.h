/*
 * baseline.h - a plain run: the target alone, uncontrolled. Ten of them are the baseline that failures are held
 * against.
 */
#ifndef RFS_PLAIN_H
#define RFS_PLAIN_H

#include <stddef.h>

struct rfs_run_result;
struct rfs_run_spec;

/*
 * Runs spec's program with its arguments, environment, working directory, descriptors, core and timeout; the rest of
 * spec is not looked at. out: end is RFS_END_EXIT, SIGNAL, TIMEOUT or CANCELLED; detail, wall_seconds and cpu_seconds
 * (all descendants included) are set. The same contract as rfs_run(): in a process of its own with no other child, 0 or
 * -errno and a line in why. No descendant of the target survives the call.
 */
int rfs_baseline_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
