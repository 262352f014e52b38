/* execution.h - one execution of a program: the data from which the pool makes it, and which its record contains. */
#ifndef RFS_EXECUTION_H
#define RFS_EXECUTION_H

#include <stdbool.h>

#include "supervisor/record/run_spec.h"

struct rfs_lessons;

/*
 * A spec and other data for the run. The pool sets some members of spec: fd_in, fd_out, fd_err, core, cancel_fd, the
 * lessons, and cwd if the run works in a fresh copy of a folder.
 */
struct rfs_execution {
	char name[64]; /* its files are named after it */
	struct rfs_run_spec spec;
	bool any_core;	    /* spec.core is -1 instead of the slot's core */
	bool plain_failure; /* failed as every baseline run does: not a finding (records only) */
	uint64_t alike;	    /* how many executions one worker can probably make with this one; 0: all of its batch */
	bool two_passes;    /* if the detector can work in two passes, it does (pool/passes.h) */
	const char *policy_path; /* the shared object of spec.policy; NULL: a built-in policy */
	/*
	 * The run starts with these lessons (borrowed), and new lessons are not added to the pool's. NULL: the run
	 * starts with the pool's lessons, and new lessons are added to these.
	 */
	const struct rfs_lessons *lessons;
	const char *input; /* for records: the name of the recorded input, in the same folder; NULL: none */
};

#endif
