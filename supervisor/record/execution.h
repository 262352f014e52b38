/* execution.h - one execution of a program: what the pool carries out, and what a record says of it. */
#ifndef RFS_EXECUTION_H
#define RFS_EXECUTION_H

#include <stdbool.h>

#include "supervisor/record/run_spec.h"

struct rfs_lessons;

/* A spec, and other data for the run. The pool sets spec.fd_in, fd_out, fd_err, core, cancel_fd, the members from
 * lessons.h, and cwd if there is a fresh copy. */
struct rfs_execution {
	char name[64]; /* of its files */
	struct rfs_run_spec spec;
	bool any_core;	    /* spec.core is -1 instead of the slot's core */
	bool plain_failure; /* failed as every baseline run does: not a finding (records only) */
	uint64_t alike;	    /* how many executions one worker can probably make with this one; 0: all of its batch */
	const char *policy_path; /* the shared object of spec.policy; NULL: a built-in policy */
	/* Start with these lessons (borrowed), and keep new ones out of the pool's. NULL: use the pool's, and add new
	 * ones to them. */
	const struct rfs_lessons *lessons;
	const char *input; /* for its record: name of the recorded input, in the same folder; NULL: there is none */
};

#endif
