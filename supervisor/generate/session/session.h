/* session.h - generates and executes the tests of a library's types, in turns, and keeps what they found. */
#ifndef RFS_SESSION_H
#define RFS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/generate/search/executor.h"
#include "supervisor/generate/tests/trial.h"
#include "supervisor/generate/tests/tried_methods.h"
#include "supervisor/pool/job.h"

struct rfs_confirm_settings;
struct rfs_generate_options;
struct rfs_generated_bug;
struct rfs_library;
struct rfs_library_type;
struct rfs_session_result;

enum rfs_type_verdict {
	RFS_TYPE_NOTHING_FOUND,
	RFS_TYPE_UNSAFE,
	RFS_TYPE_NOT_MADE,    /* no constructor works */
	RFS_TYPE_NOT_USED,    /* objects can be made, but no method works */
	RFS_TYPE_SAID_UNSAFE, /* by the hints; it is only tested if --type names it */
	RFS_TYPE_NOT_BEGUN,   /* the budget ended before its first test */
};

/* What the tests of a type showed. */
struct rfs_type_result {
	const struct rfs_library_type *type; /* borrowed */
	enum rfs_type_verdict verdict;
	uint64_t n_tests;
	uint64_t n_independent;	 /* of these: the suffixes are independent, so they were not run concurrently */
	uint64_t n_sequential;	 /* they fail in a sequential order */
	uint64_t n_inconclusive; /* an execution was too long or not controlled */
	uint64_t n_dismissed;	 /* they failed, but their C programs did not */
	uint64_t n_executions;
	size_t n_pairs;		       /* of methods that were executed concurrently */
	bool complete;		       /* all its tests were executed, or enough bugs were found */
	struct rfs_generated_bug *bug; /* the first one of a list; owned; NULL: none */
};

/* Parts of the search that measurements leave out (tests/bench/generate). Nothing else sets them. */
struct rfs_session_without {
	bool executions; /* tests are only made */
	bool filter;	 /* independent tests are executed too */
	bool weights;	 /* the next test is any test that is ready */
	bool sweep;	 /* the other policies share all executions */
	bool racefuzzer; /* predicted races are only created to explain a failure */
	bool control;	 /* concurrent executions are left to the kernel's scheduler */
	bool quick;	 /* each test is executed under all schedules */
};

/* What one test needed, for measurements. */
struct rfs_session_test {
	const char *type, *judgement; /* borrowed */
	/*
	 * Visible operations in the order in which the second suffix comes after the first one, except those of the
	 * first thread.
	 */
	uint64_t n_steps;
	uint64_t n_schedules;  /* concurrent executions, without those that create predicted races */
	uint64_t n_executions; /* all */
};

struct rfs_session_settings {
	const struct rfs_generate_options *options;
	const struct rfs_library *library;
	char *const *const *names; /* of the parameters of each function */
	struct rfs_executor_settings executor;
	const struct rfs_confirm_settings *confirm;
	/* Called after each bug, with what is known so far. */
	void (*found)(void *arg, const struct rfs_session_result *result);
	void *arg;
	void (*tested)(const struct rfs_session_test *test); /* called after each test; NULL: nothing to do */
	bool terminal;					     /* draw a status line */
	struct rfs_session_without without;
};

struct rfs_session_result {
	struct rfs_type_result *types;
	size_t n_types;
	uint64_t n_executions, n_served; /* served: by a fork server */
	size_t n_predicted, n_created;	 /* races */
	struct rfs_trial_counts trials;
	struct rfs_tried_methods tried;
	bool private_network;  /* tests could use sockets, which reach nothing */
	bool continues;	       /* the session has not ended yet */
	enum rfs_pool_end end; /* DONE: all types had their tests */
	char why[512];	       /* if end is FAILED */
};

/* 0, or -errno and a line in why: nothing could be executed. Release *out in both cases. */
int rfs_session_run(const struct rfs_session_settings *settings, struct rfs_session_result *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * Whether the type has a bug that is a finding: the hints call the type safe. If they call none of the tested types
 * safe, nobody has said which types must be safe. Then each bug is a finding, except in types that they call unsafe.
 */
bool rfs_type_is_finding(const struct rfs_session_result *result, const struct rfs_type_result *type);
void rfs_session_result_release(struct rfs_session_result *result);

#endif
