/* bug.h - a finding: a test that fails if its calls run concurrently, but in no sequential order of them. */
#ifndef RFS_BUG_FOUND_H
#define RFS_BUG_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/generate/search/ending.h"
#include "supervisor/generate/search/wrong_result.h"
#include "supervisor/generate/tests/sequence.h"
#include "supervisor/record/run_spec.h"

struct rfs_generated_bug {
	struct rfs_sequence test;
	enum rfs_ending ending;
	int detail;			 /* signal or exit status */
	struct rfs_wrong_result results; /* if the ending is RESULT */
	const char *policy;		 /* of the execution that failed; then of the program's failing run */
	enum rfs_points points;		 /* the same */
	size_t n_orders;		 /* sequential orders, none of which fails */
	uint64_t n_tests, n_executions;	 /* of the type, until the failure was seen */
	char *involved;			 /* the race or the locks; NULL: unknown; owned */
	const char *same_as; /* the type of an earlier finding with the same race or locks; NULL: none; borrowed */
	/* the path of the C program, and the command that compiles it; owned */
	char *source, *command;
	bool compiled;
	bool confirmed;			/* the C program fails in the same way under rfsup */
	char *record;			/* of its failing run; NULL: none */
	char *page;			/* a picture of this run; NULL: none */
	char *story;			/* the failing run with the fewest switches, as lines; NULL: none */
	char *why;			/* the reason, if not confirmed */
	uint64_t n_again;		/* later tests of the type that failed because of the same race or locks */
	struct rfs_generated_bug *next; /* of the same type, with another cause; owned */
};

void rfs_generated_bug_release(struct rfs_generated_bug *bug);

#endif
