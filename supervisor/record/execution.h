/* execution.h - one execution of a program: what the pool carries out, and what a record says of it. */
#ifndef RFS_EXECUTION_H
#define RFS_EXECUTION_H

#include <stdbool.h>

#include "supervisor/record/run_spec.h"

struct rfs_lessons;

/*
 * A spec, and what belongs to it beside the run itself. The pool sets spec.fd_in, fd_out, fd_err, core,
 * cancel_fd, what lessons.h gives, and cwd where there is a fresh copy.
 */
struct rfs_execution {
	char name[64]; /* of its files */
	struct rfs_run_spec spec;
	bool any_core;		 /* spec.core is -1, not the slot's */
	bool plain_failure;	 /* it failed as every plain run does: no finding (records only) */
	const char *policy_path; /* the shared object that spec.policy comes from; NULL: built in */
	/* Start with these (borrowed) and keep what it learns to itself; NULL: the pool's, which learn from it. */
	const struct rfs_lessons *lessons;
	const char *input; /* for its record: name, beside it, of what came from outside; NULL: nothing did */
};

#endif
