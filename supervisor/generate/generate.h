/* generate.h - rfsup --generate: concurrent tests for a library (man/rfsup-generate.1). */
#ifndef RFS_GENERATE_H
#define RFS_GENERATE_H

#include "supervisor/base/error.h"
#include "supervisor/generate/session/session.h"
#include "supervisor/pool/job.h"

struct rfs_generate_runs {
	const struct rfs_server_ops *server;		     /* the fork server */
	rfs_run_fn *run, *plain;			     /* rfs_run() and rfs_baseline_run() */
	struct rfs_session_without without;		     /* for measurements */
	void (*tested)(const struct rfs_session_test *test); /* as in struct rfs_session_settings */
};

/* Does all of it. argv: the command line. */
enum rfs_exit rfs_generate(int argc, char **argv, const struct rfs_generate_runs *runs);

#endif
