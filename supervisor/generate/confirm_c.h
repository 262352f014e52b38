/* confirm_c.h - writes a finding as a C program, compiles it, and checks that it fails under rfsup. */
#ifndef RFS_CONFIRM_C_H
#define RFS_CONFIRM_C_H

#include "supervisor/pool/job.h"

struct rfs_compiler;
struct rfs_generate_options;
struct rfs_generated_bug;
struct rfs_library;
struct rfs_place;

struct rfs_confirm_settings {
	const struct rfs_generate_options *options;
	const struct rfs_compiler *compiler;
	const struct rfs_library *library;
	const char *library_path; /* absolute */
	const char *guard;
	const char *const *thread_start, *const *thread_end; /* functions of the hints; end with NULL */
	const char *folder;   /* for the programs and the output of their runs; absolute */
	char *const *watched; /* globs of modules; ends with NULL */
	double deadline;      /* of the session, CLOCK_MONOTONIC in seconds */
	int cancel_fd;
	const struct rfs_server_ops *server;
	rfs_run_fn *run, *plain;
};

/*
 * name: of the files, such as "GQueue-1". race: the two places of the race that led to the failure when it was created;
 * NULL: the failure was found without one. Sets `source` and all later members of the bug.
 */
void rfs_confirm_c(const struct rfs_confirm_settings *settings, const char *name, const struct rfs_place *race,
		   struct rfs_generated_bug *bug);

/* Removes the files of a finding that was not confirmed, so that its program is not mistaken for one. name: as above.
 */
void rfs_confirm_discard(const struct rfs_confirm_settings *settings, const char *name,
			 const struct rfs_generated_bug *bug);

#endif
