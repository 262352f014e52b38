/*
 * gdb_session.h - rfsup --replay FILE --gdb: starts gdb and connects it to the replay.
 *
 * There are three processes. This one starts gdb once the run has reached the place to look at, and waits for the other
 * two. A child does the replay, with its job, the tracer. gdb runs in the foreground of this process's terminal. gdb
 * and the tracer talk through a Unix socket in a folder that only this user can enter: there is no port that can
 * collide, and no other user can connect.
 */
#ifndef RFS_GDB_SESSION_H
#define RFS_GDB_SESSION_H

#include <stdint.h>

#include "supervisor/base/error.h"

struct rfs_gdb_settings;

/* What the child executes: the replay with this debugger. The result is the child's exit status. */
typedef enum rfs_exit rfs_debugged_fn(void *arg, const struct rfs_gdb_settings *settings);

/* arguments: for gdb, after those that connect it; ends with NULL. stop_at: as in struct rfs_gdb_settings. Returns what
 * replay returned, after gdb has ended too. If gdb cannot be started: prints a line and returns RFS_EXIT_INPUT. */
enum rfs_exit rfs_gdb_session(char *const *arguments, uint64_t stop_at, int cancel_fd, rfs_debugged_fn *replay,
			      void *arg);

#endif
