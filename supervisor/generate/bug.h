/* bug.h - a test that fails when its calls run concurrently and in no sequential order of them: what is reported. */
#ifndef RFS_BUG_FOUND_H
#define RFS_BUG_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/generate/executor.h"
#include "supervisor/generate/sequence.h"

struct rfs_generated_bug {
	struct rfs_sequence test;
	enum rfs_ending ending;
	int detail;			/* signal or exit status */
	const char *policy;		/* that found it */
	size_t n_orders;		/* sequential orders, none of which fails */
	uint64_t n_tests, n_executions; /* of the type, until the failure was seen */
	/* its C program; the paths are owned */
	char *source, *command; /* command: compiles it */
	bool compiled;
	bool confirmed; /* the C program fails in the same way under rfsup */
	char *record;	/* of its failing run; NULL: none */
	char *why;	/* if not confirmed: the reason */
};

void rfs_generated_bug_release(struct rfs_generated_bug *bug);

#endif
