/*
 * replay.h - rfsup --replay FILE: makes a recorded run again and compares it with the record. The program's output is
 * shown.
 */
#ifndef RFS_REPLAY_H
#define RFS_REPLAY_H

#include <stdbool.h>

#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"

struct rfs_record;
struct rfs_symbols;

/*
 * Prepares a replay: reads the record, checks that the files are the recorded ones, and restores the environment. If
 * the record is not the user's own, shows what it runs; unless it is trusted, the program then ends. --simplify uses it
 * too. RFS_EXIT_CLEAN: *record is filled (free with rfs_record_release()). RFS_EXIT_UNCONTROLLED:
 * files differ; a message was printed. Other errors end the program.
 */
enum rfs_exit rfs_replay_prepare(struct rfs_symbols *symbols, const char *path, bool trusted,
				 struct rfs_record *record);

struct rfs_replay_also {
	/*
	 * The settings of the debugger; NULL: no debugger. rfs_replay() sets their member `symbols`. A debugged run
	 * has no timeout.
	 */
	const struct rfs_gdb_settings *gdb;
	const char *page;     /* write an HTML page of the run to this file (report/html/html.h); NULL: no page */
	const char *timeline; /* write the run for Perfetto to this file (report/html/timeline.h); NULL: do not */
	double timeout;	      /* in seconds; 0: the timeout in the record */
	bool trusted;	      /* --trust */
};

/*
 * Replays the record at `path`. Restores its working directory, umask and limits, and checks that the program and its
 * libraries are the recorded ones. Runs the program with the recorded environment, compares the run with the record,
 * and prints one line about the comparison. also: what else to do; NULL: nothing else.
 *
 * The result is:
 * - RFS_EXIT_FINDING: the same run again, with its finding
 * - RFS_EXIT_CLEAN: the same run again, without a finding
 * - RFS_EXIT_UNCONTROLLED: the run diverged, or files differ
 * - RFS_EXIT_INCOMPLETE: the run timed out or was interrupted
 * - RFS_EXIT_INPUT: the run could not be started, or the page could not be written
 */
enum rfs_exit rfs_replay(const char *path, const struct rfs_replay_also *also, int cancel_fd, rfs_run_fn *run);

#endif
