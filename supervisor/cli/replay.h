/* replay.h - rfsup --replay FILE: one recorded run again, exactly, with its output let through. */
#ifndef RFS_REPLAY_H
#define RFS_REPLAY_H

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

struct rfs_record;
struct rfs_symbols;

/*
 * The first half of it, for others that do a recorded run again: reads the record, checks the files, restores the
 * rest. RFS_EXIT_CLEAN and *record (rfs_record_release), or UNCONTROLLED: other files, which was said.
 */
enum rfs_exit rfs_replay_prepare(struct rfs_symbols *symbols, const char *path, struct rfs_record *record);

struct rfs_replay_also {
	/* A debugger looks on (symbols are set here), NULL: none. Real time does not limit the run then. */
	const struct rfs_gdb_settings *gdb;
	const char *page; /* file for the picture of the run (html.h), NULL: none */
	double timeout;	  /* in seconds, in the place of the record's; 0: the record's */
};

/*
 * Restores what the record at path holds (environment, working directory, umask, limits), checks that the program and
 * its libraries are the ones it was made with, runs, compares, and says in one line what happened. RFS_EXIT_FINDING:
 * the finding showed again; CLEAN: the run matched and was clean; UNCONTROLLED: it diverged, or other modules;
 * INCOMPLETE: timed out or interrupted; INPUT: it could not be run, or its page not be written. also: what is wanted
 * beside it, NULL: nothing.
 */
enum rfs_exit rfs_replay(const char *path, const struct rfs_replay_also *also, int cancel_fd, rfs_run_fn *run);

#endif
