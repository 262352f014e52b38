/* run.h - one controlled run of the target. */
#ifndef RFS_RUN_H
#define RFS_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run;
struct rfs_run_spec;
struct rfs_run_result;

/* The main loop: picks and executes operations until the run ends. run->result then says how the run ended. */
void rfs_run_loop(struct rfs_run *run);

/*
 * Makes one controlled run. Returns 0 and fills *out, also if the target failed. Returns -errno if the program could
 * not be started; `why` then has one line that says what to do. The calling process must have no other child.
 */
int rfs_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
