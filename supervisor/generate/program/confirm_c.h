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

/* How many runs of the program are made. Only counts decide, so that the same session gives the same report. */
enum rfs_confirm_effort {
	RFS_CONFIRM_QUICK,    /* a few seconds; runs stop where those of the test did */
	RFS_CONFIRM_THOROUGH, /* may take minutes; they stop at all accesses of the library */
};

/*
 * name: of the files, such as "GQueue-1". race: the two places of the race that led to the failure when it was created;
 * NULL: none is known. Sets `source` and the members after it, and those that describe the failing run. May be called
 * again.
 */
void rfs_confirm_c(const struct rfs_confirm_settings *settings, enum rfs_confirm_effort effort, const char *name,
		   const struct rfs_place *race, struct rfs_generated_bug *bug);

/* Removes the files of a finding that was not confirmed, so that its program is not mistaken for one. name: as above.
 */
void rfs_confirm_discard(const struct rfs_confirm_settings *settings, const char *name,
			 const struct rfs_generated_bug *bug);

#endif
