/*
 * gdb_session.h - rfsup --replay FILE --gdb: the process in front of a debugged run.
 *
 * Three processes stand beside each other: this one, which starts gdb once the run is where it shall be looked at, and
 * waits for both; a child that does the replay (and its job, the tracer); and gdb, in the foreground of the terminal as
 * this one is. gdb and the tracer speak through a Unix socket in a folder that only this user can enter, so there is no
 * port to collide on and no other user who could connect.
 */
#ifndef RFS_GDB_SESSION_H
#define RFS_GDB_SESSION_H

#include <stdint.h>

#include "supervisor/base/error.h"

struct rfs_gdb_settings;

/* What the child does: the replay, with this debugger. Its result is the child's exit status. */
typedef enum rfs_exit rfs_debugged_fn(void *arg, const struct rfs_gdb_settings *settings);

/*
 * arguments: of gdb, behind those that connect it; ends with NULL. stop_at: as in struct rfs_gdb_settings. Returns what
 * replay returned, once gdb is gone too; RFS_EXIT_INPUT, and a line, where gdb cannot be started.
 */
enum rfs_exit rfs_gdb_session(char *const *arguments, uint64_t stop_at, int cancel_fd, rfs_debugged_fn *replay,
			      void *arg);

#endif
